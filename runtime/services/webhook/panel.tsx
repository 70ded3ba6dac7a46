/** Where events are sent, and whether they arrive. */
import type { Status } from '../../client/client.ts';
import {
  ago,
  Badge,
  Button,
  Card,
  ConfigForm,
  commandId,
  definePanel,
  Facts,
  type PageNode,
  type PanelProps,
  type Setting,
} from '../../exports/panel.ts';
import { WebhookConfig, type WebhookStatus } from './contract.ts';

const { properties } = WebhookConfig;
const SETTINGS: readonly Setting[] = [
  { key: 'url', schema: properties.url, label: 'URL', hint: 'http or https, 199 bytes at most; empty for none' },
  {
    key: 'secret',
    schema: properties.secret,
    label: 'Secret',
    hint: 'signs every request; another URL takes it away unless it is sent along',
  },
  {
    key: 'events',
    schema: properties.events,
    label: 'Events',
    words: {
      scan_read: 'scans',
      printer_status: 'printer status, every 5 s',
      scale_weight_changed: 'weights',
      command_result: 'results of commands',
      camera_frame_captured: 'pictures taken',
    },
  },
].map((setting) => ({ ...setting, secret: setting.key === 'secret' }));

const healthOf = (status: Status | undefined) => (status as { readonly webhook?: WebhookStatus } | undefined)?.webhook;

const View = ({ node }: PanelProps) => (
  <>
    <Card title="Health">
      <Health node={node} />
    </Card>
    <Card title="Receiver">
      <ConfigForm node={node} at="webhook" settings={SETTINGS} />
    </Card>
  </>
);

function Health({ node }: { node: PageNode }) {
  const health = healthOf(node.status);
  const { url, events } = (node.config?.['webhook'] ?? {}) as { url?: string; events?: readonly string[] };
  if (health === undefined) return <p>Asking the node…</p>;
  if (!url) return <p class="quiet">No receiver is set: nothing is sent.</p>;
  return (
    <>
      <Facts
        rows={[
          ['Last attempt', <Attempt key="attempt" {...health} />],
          ['Delivered', health.delivered],
          ['Dropped', health.dropped === 0 ? 0 : <Badge tone="warn">{health.dropped}</Badge>],
          ['Waiting', `${health.queued} of 8`],
          ['Number of the newest', health.seq],
        ]}
      />
      {events?.includes('command_result') && node.mayPrint ? (
        <>
          <Button kind="main" onPress={() => test(node)}>
            Send a test
          </Button>
          <p class="quiet">
            Sends a command to an endpoint that does not exist: nothing is printed, and its refusal is an event like any
            other.
          </p>
        </>
      ) : (
        <p class="quiet">A test needs the event “results of commands”, and the API mode below strict.</p>
      )}
    </>
  );
}

function Attempt({ lastStatus, lastAttemptAgoMs }: WebhookStatus) {
  if (lastAttemptAgoMs < 0) return <Badge>none yet</Badge>;
  const [tone, words] = outcomeOf(lastStatus);
  return (
    <Badge tone={tone}>
      {words}, {ago(lastAttemptAgoMs)}
    </Badge>
  );
}

const outcomeOf = (status: number) =>
  status < 0
    ? (['bad', 'no HTTP answer'] as const)
    : status < 300 && status >= 200
      ? (['good', `answered ${status}`] as const)
      : (['bad', `answered ${status}`] as const);

/** The longest that a delivery can take: two attempts of 5 s each, for the event in flight and for this one. */
const TEST_MS = 21_000;
const LOOK_MS = 500;

/** A refused command reaches no device, and has a `command_result` as every command has (specification 6.1). */
async function test({ client, refresh }: PageNode): Promise<string> {
  await client
    .raw({ type: 'raw', id: commandId(), endpoint: 'webhook-test', data: 'AA==' })
    .catch((error: { readonly code?: string }) => {
      if (error.code !== 'unknown_endpoint' && error.code !== 'wrong_endpoint_kind') throw error;
    });
  const target = healthOf(await client.status())?.seq ?? 0;
  for (const end = Date.now() + TEST_MS; Date.now() < end; ) {
    const health = healthOf(await client.status());
    if (health !== undefined && health.delivered + health.dropped >= target) {
      await refresh();
      const [tone, words] = outcomeOf(health.lastStatus);
      if (tone === 'good') return `Delivered: the receiver ${words}.`;
      throw new Error(
        health.lastStatus < 0
          ? 'Not delivered: the receiver gave no HTTP answer. Is the URL right, and the receiver running?'
          : `Not delivered: the receiver ${words}.`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new Error('The test is still waiting behind other events.');
}

export default definePanel({ id: 'webhook', title: 'Webhook', order: 140, View });
