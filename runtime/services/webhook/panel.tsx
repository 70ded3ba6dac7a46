/** The panel of the webhook: its settings and the state of the delivery. */
import type { Status } from '../../client/client.ts';
import {
  Asking,
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
  speech,
} from '../../page/kit.ts';
import { WebhookConfig, type WebhookStatus } from './contract.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

const { properties } = WebhookConfig;
const SETTINGS: readonly Setting[] = [
  { key: 'url', schema: properties.url, label: say('url'), hint: say('urlHint') },
  {
    key: 'secret',
    schema: properties.secret,
    label: say('secret'),
    hint: say('secretHint'),
  },
  {
    key: 'events',
    schema: properties.events,
    label: say('events'),
    words: {
      scan_read: say('scans'),
      printer_status: say('printerStatus'),
      scale_weight_changed: say('weights'),
      command_result: say('results'),
      camera_frame_captured: say('pictures'),
    },
  },
].map((setting) => ({ ...setting, secret: setting.key === 'secret' }));

const healthOf = (status: Status | undefined) => status?.webhook;

const View = ({ node }: PanelProps) => (
  <>
    <Card title={say('health')}>
      <Health node={node} />
    </Card>
    <Card title={say('receiver')}>
      <ConfigForm node={node} at="webhook" settings={SETTINGS} />
    </Card>
  </>
);

function Health({ node }: { node: PageNode }) {
  const health = healthOf(node.status);
  const { url, events } = (node.config?.['webhook'] ?? {}) as { url?: string; events?: readonly string[] };
  if (health === undefined) return <Asking />;
  if (!url) return <p class="quiet">{say('noReceiver')}</p>;
  return (
    <>
      <Facts
        rows={[
          [say('lastAttempt'), <Attempt key="attempt" {...health} />],
          [say('delivered'), health.delivered],
          [say('dropped'), health.dropped === 0 ? 0 : <Badge tone="warn">{health.dropped}</Badge>],
          [say('waiting'), say('ofMost', { n: health.queued, most: 8 })],
          [say('newest'), health.seq],
        ]}
      />
      {events?.includes('command_result') && node.mayPrint ? (
        <>
          <Button kind="main" onPress={() => test(node)}>
            {say('sendTest')}
          </Button>
          <p class="quiet">{say('testHint')}</p>
        </>
      ) : (
        <p class="quiet">{say('testNeeds')}</p>
      )}
    </>
  );
}

function Attempt({ lastStatus, lastError, lastAttemptAgoMs }: WebhookStatus) {
  if (lastAttemptAgoMs < 0) return <Badge>{say('noneYet')}</Badge>;
  const [tone, outcome] = outcomeOf(lastStatus, lastError);
  return <Badge tone={tone}>{say('attemptAgo', { outcome, ago: ago(lastAttemptAgoMs) })}</Badge>;
}

const outcomeOf = (status: number, error?: WebhookStatus['lastError']) =>
  status < 0
    ? (['bad', say(error === undefined || error === 'status' ? 'noHttp' : error)] as const)
    : status < 300 && status >= 200
      ? (['good', say('answered', { status })] as const)
      : (['bad', say('answered', { status })] as const);

/** The longest time of a delivery: two attempts of 5 s each, for the event in flight and for this one. */
const TEST_MS = 21_000;
const LOOK_MS = 500;

/** A refused command reaches no device, but causes a `command_result`, as every command does (specification 6.1). */
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
      const [tone, outcome] = outcomeOf(health.lastStatus, health.lastError);
      if (tone === 'good') return say('wasDelivered', { outcome });
      throw new Error(health.lastStatus < 0 ? `${say('notReached')} (${outcome})` : say('notDelivered', { outcome }));
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new Error(say('stillWaiting'));
}

export default definePanel({ id: 'webhook', title: say('title'), order: 140, View });
