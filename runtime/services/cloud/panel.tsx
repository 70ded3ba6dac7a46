/** The panel of the cloud settings. */
import { useEffect, useState } from 'preact/hooks';
import {
  Badge,
  Card,
  definePanel,
  type PageNode,
  type PanelProps,
  type Setting,
  SettingsForm,
  speech,
  useLoaded,
} from '../../page/kit.ts';
import { CloudPatch } from './contract.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

const { properties } = CloudPatch;
const SETTINGS: readonly Setting[] = [
  { key: 'url', schema: properties.url, label: say('url'), hint: say('urlHint') },
  {
    key: 'heartbeatUrl',
    schema: properties.heartbeatUrl,
    label: say('heartbeatUrl'),
    hint: say('heartbeatHint'),
  },
  {
    key: 'token',
    schema: properties.token,
    label: say('token'),
    hint: say('tokenHint'),
    secret: true,
  },
  { key: 'heartbeatSeconds', schema: properties.heartbeatSeconds, label: say('seconds') },
];

function View({ node }: PanelProps) {
  const { data, fault, reload } = useLoaded(node.client.cloud);
  return (
    <Card title={say('title')}>
      <p class="quiet">{say('about')}</p>
      {fault && <p class="bad">{fault}</p>}
      <Heartbeat node={node} />
      {data && (
        <SettingsForm
          settings={SETTINGS}
          values={data}
          maySave={node.maySave}
          onSave={async (patch) => {
            await node.client.setCloud(patch);
            await reload();
          }}
        />
      )}
    </Card>
  );
}

function Heartbeat({ node: { on } }: { node: PageNode }) {
  const [status, setStatus] = useState<number>();
  useEffect(() => on('heartbeat', (event) => setStatus(Number(event['status']))), [on]);
  if (status === undefined) return null;
  return (
    <p>
      <Badge tone={status >= 200 && status < 300 ? 'good' : 'bad'}>
        {status < 0 ? say('noAnswer') : say('answered', { status })}
      </Badge>
    </p>
  );
}

export default definePanel({ id: 'cloud', title: say('title'), order: 145, View });
