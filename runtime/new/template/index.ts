/** The sample room: GET /sample, a command that POST /sample runs, and an event for every reading. */
import {
  CDC_DATA_CLASS,
  type CommandResult,
  definePlugin,
  failed,
  type Node,
  route,
  runCommand,
  type Static,
  succeeded,
  UsbError,
  VENDOR_CLASS,
} from 'tillnode/plugin';
import { bind, classify } from './bind.ts';
import { lineCodec } from './codec.ts';
import * as contract from './contract.ts';
import type { LineDriver } from './driver.ts';
import { errors } from './errors.ts';

const ENDPOINT = 'sample';

type Say = Static<typeof contract.SampleSay>;

export default definePlugin({
  name: 'sample',
  api: 2,
  endpoints: [{ id: ENDPOINT, kind: 'sample', transport: 'usb', capabilities: ['read', 'say'] }],
  codecs: [lineCodec],
  channels: { classes: [CDC_DATA_CLASS, VENDOR_CLASS], types: ['bulk'], writes: true },
  errors,
  config: [{ key: 'sample', schema: contract.SampleConfig, default: { greeting: '' } }],
  events: { sample_read: { schema: contract.SampleRead, webhook: true } },
  routes: [
    route({
      method: 'GET',
      path: '/sample',
      tier: 'none',
      summary: 'the last reading, and how the device is',
      response: contract.SampleBlock,
      handle: ({ node }) => ({
        endpoint: ENDPOINT,
        condition: node.endpoint(ENDPOINT)?.condition,
        value: node.bound('sample', ENDPOINT)?.value ?? null,
      }),
    }),
    route({
      method: 'POST',
      path: '/sample',
      tier: 'strict',
      summary: 'send a line to the device',
      body: { schema: contract.SampleSay, invalid: 'invalid_command' },
      errors: ['invalid_command', 'unknown_endpoint', 'sample_missing', 'sample_failed'],
      // With an Idempotency-Key it is done once; it is in GET /jobs, and refused while the node restarts.
      commands: { begins: 'route' },
      handle: (call) => runCommand(call, call.body),
    }),
  ],
  room(node) {
    const { hooks, config, log } = node;
    hooks.classify.tap('sample', classify);
    hooks.bind.for('sample').tapPromise('sample', async (candidate) => {
      const bound = await bind(candidate, (value) => {
        node.event({ type: 'sample_read', endpoint: candidate.endpoint.id, value });
      });
      const { greeting } = config.get('sample');
      if (greeting !== '' && 'say' in bound)
        await bound.say(greeting).catch((error: unknown) => log.warn({ error: String(error) }, 'not greeted'));
      return bound;
    });
    const commands = hooks.command.for('sample_say');
    commands.tapPromise('sample', (command) => say(node, command));
  },
});

/** Undefined where the endpoint is not of this room: then another one answers. */
async function say(node: Node, command: Say): Promise<CommandResult | undefined> {
  if (command.endpoint !== ENDPOINT) return undefined;
  const bound = node.bound('sample', ENDPOINT);
  if (bound === undefined) return failed(command, 'sample_missing');
  try {
    return succeeded(command, 'accepted', await bound.say(command.line));
  } catch (error) {
    if (error instanceof UsbError) return failed(command, 'sample_failed', error.message);
    throw error;
  }
}

declare module 'tillnode/registry' {
  /** What `bind` returns is kept by the node: `node.bound('sample', …)` has this type. */
  interface BoundKinds {
    sample: LineDriver;
  }
  interface Commands {
    sample_say: Say;
  }
}
