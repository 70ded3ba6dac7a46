/** The cloud: where heartbeats go and recipes, images and composed receipts come from. */
import { useEffect, useState } from 'preact/hooks';
import {
  Badge,
  Card,
  definePanel,
  type PageNode,
  type PanelProps,
  type Setting,
  SettingsForm,
  useLoaded,
} from '../../exports/panel.ts';
import { CloudPatch } from './contract.ts';

const { properties } = CloudPatch;
const SETTINGS: readonly Setting[] = [
  { key: 'url', schema: properties.url, label: 'URL', hint: 'http or https; empty for none' },
  {
    key: 'heartbeatUrl',
    schema: properties.heartbeatUrl,
    label: 'Heartbeat URL',
    hint: 'a receiver of your own; empty sends them to the URL above',
  },
  {
    key: 'token',
    schema: properties.token,
    label: 'Token',
    hint: 'another URL takes it away unless it is sent along',
    secret: true,
  },
  { key: 'heartbeatSeconds', schema: properties.heartbeatSeconds, label: 'Seconds between heartbeats' },
];

function View({ node }: PanelProps) {
  const { data, fault, reload } = useLoaded(node.client.cloud);
  return (
    <Card title="Cloud">
      <p class="quiet">
        Nothing in printing, status, scans or weight needs a cloud. It never changes a setting of the node.
      </p>
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
        last heartbeat: {status < 0 ? 'no answer' : `answered ${status}`}
      </Badge>
    </p>
  );
}

export default definePanel({ id: 'cloud', title: 'Cloud', order: 150, View });
