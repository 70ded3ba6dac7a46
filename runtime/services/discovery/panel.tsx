/** How the node is found, and as which printer model. */
import type { Status } from '../../client/client.ts';
import {
  ago,
  Badge,
  Card,
  ConfigForm,
  definePanel,
  Facts,
  type PanelProps,
  type Setting,
  type Tone,
} from '../../exports/panel.ts';
import { CustomProfile, type DiscoveryStatus, Profile } from './contract.ts';

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

const STATES: Readonly<Record<DiscoveryStatus['state'], { readonly tone: Tone; readonly words: string }>> = {
  probing: { tone: 'plain', words: 'asking whether its name is taken' },
  announced: { tone: 'good', words: 'found by its name' },
  renamed: { tone: 'warn', words: 'found by another name: somebody has its own' },
  off: { tone: 'warn', words: 'not found: there is no network to be found on' },
};

const discoveryOf = (status: Status | undefined) =>
  (status as { readonly discovery?: DiscoveryStatus } | undefined)?.discovery;

function Found({ found }: { found: DiscoveryStatus | undefined }) {
  if (found === undefined) return <p>Asking the node…</p>;
  const { tone, words } = STATES[found.state];
  return (
    <Facts
      rows={[
        [
          'State',
          <Badge key="state" tone={tone}>
            {words}
          </Badge>,
        ],
        ['Name', found.name],
        ['Shown as', found.instance ?? 'nothing yet'],
        ['Since', ago(found.since)],
      ]}
    />
  );
}

const View = ({ node }: PanelProps) => (
  <>
    <Card title="In this network">
      <Found found={discoveryOf(node.status)} />
    </Card>
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
