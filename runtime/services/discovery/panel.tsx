/** Under which printer model the node is found. */
import { Card, ConfigForm, definePanel, type PanelProps, type Setting } from '../../exports/panel.ts';
import { CustomProfile, Profile } from './contract.ts';

const PROFILE: readonly Setting[] = [
  { key: 'profile', schema: Profile, label: 'Profile', hint: 'announced at once, without a restart' },
];

const { properties } = CustomProfile;
const CUSTOM: readonly Setting[] = [
  { key: 'make', schema: properties.make, label: 'Make' },
  { key: 'model', schema: properties.model, label: 'Model' },
  { key: 'ty', schema: properties.ty, label: 'Name shown (ty)', hint: 'make and model where it is empty' },
  { key: 'product', schema: properties.product, label: 'Product' },
  { key: 'pdl', schema: properties.pdl, label: 'Printer languages (pdl)' },
];

const View = ({ node }: PanelProps) => (
  <>
    <Card title="Compatibility profile">
      <p class="quiet">
        Software that looks for printers by model finds the node under this identity. It is a name in the network and no
        more: no point-of-sale system is made to accept the node by it.
      </p>
      <ConfigForm node={node} settings={PROFILE} />
    </Card>
    <Card title="The profile “custom”">
      <p class="quiet">Needs a make and a model before it can be chosen.</p>
      <ConfigForm node={node} at="customProfile" settings={CUSTOM} />
    </Card>
  </>
);

export default definePanel({ id: 'discovery', title: 'Discovery', order: 130, View });
