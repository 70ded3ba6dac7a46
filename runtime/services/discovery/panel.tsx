/** How the node is found, and as which printer model. */
import type { Status } from '../../client/client.ts';
import {
  Asking,
  ago,
  Badge,
  Card,
  ConfigForm,
  definePanel,
  Facts,
  type PanelProps,
  type Setting,
  speech,
  type Tone,
} from '../../page/kit.ts';
import { CustomProfile, type DiscoveryStatus, Profile } from './contract.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

const PROFILE: readonly Setting[] = [
  {
    key: 'profile',
    schema: Profile,
    label: say('profile'),
    hint: say('profileHint'),
    words: { generic: say('profile_generic'), custom: say('profile_custom') },
  },
];

const { properties } = CustomProfile;
const CUSTOM: readonly Setting[] = [
  { key: 'make', schema: properties.make, label: say('make') },
  { key: 'model', schema: properties.model, label: say('model') },
  { key: 'ty', schema: properties.ty, label: say('ty'), hint: say('tyHint') },
  { key: 'product', schema: properties.product, label: say('product') },
  { key: 'pdl', schema: properties.pdl, label: say('pdl') },
];

const TONES: Readonly<Record<DiscoveryStatus['state'], Tone>> = {
  probing: 'plain',
  announced: 'good',
  renamed: 'warn',
  off: 'warn',
};

const discoveryOf = (status: Status | undefined) => status?.discovery;

function Found({ found }: { found: DiscoveryStatus | undefined }) {
  if (found === undefined) return <Asking />;
  return (
    <Facts
      rows={[
        [
          say('state'),
          <Badge key="state" tone={TONES[found.state]}>
            {say(found.state)}
          </Badge>,
        ],
        [say('name'), <span translate={false}>{found.name}</span>],
        [say('shownAs'), found.instance ?? say('nothingYet')],
        ...(found.printers ?? []).map(({ endpoint, instance, port }): [string, string] => [
          `${endpoint}, ${port}`,
          instance,
        ]),
        [say('since'), ago(found.since)],
      ]}
    />
  );
}

const View = ({ node }: PanelProps) => (
  <>
    <Card title={say('inNetwork')}>
      <Found found={discoveryOf(node.status)} />
    </Card>
    <Card title={say('compatibility')}>
      <p class="quiet">{say('about')}</p>
      <ConfigForm node={node} settings={PROFILE} />
    </Card>
    <Card title={say('custom')}>
      <p class="quiet">{say('customHint')}</p>
      <ConfigForm node={node} at="customProfile" settings={CUSTOM} />
    </Card>
  </>
);

export default definePanel({ id: 'discovery', title: say('title'), order: 130, View });
