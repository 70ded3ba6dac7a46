/** Boots the variant the build put beside it. `--describe` prints what this image can do, without starting it. */
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { bindings, defaults, image, plugins, recipes, validators } from 'virtual:variant';
import pino from 'pino';
import { compose } from './kernel/composition.ts';
import { CORE_ERRORS } from './kernel/core-errors.ts';
import { describe } from './kernel/describe.ts';
import { type RunningNode, startNode } from './node.ts';

// A node lives for years in little memory: collect early rather than let the heap grow with the traffic.
setFlagsFromString('--optimize-for-size');
setFlagsFromString('--semi-space-growth-factor=1');

const USAGE = `usage: main.js [--host H] [--port P] [--raw-port P] [--state DIR] [--appliance] [--describe]`;
/** A stop that takes longer than this is cut short. */
const STOP_DEADLINE_MS = 2800;

function options() {
  const { values } = parseArgs({
    options: {
      host: { type: 'string', default: defaults.host },
      port: { type: 'string', default: String(defaults.port) },
      'raw-port': { type: 'string', default: String(defaults.rawPort) },
      state: { type: 'string', default: defaults.state },
      appliance: { type: 'boolean', default: false },
      describe: { type: 'boolean', default: false },
    },
  });
  const portOf = (name: 'port' | 'raw-port') => {
    const text = values[name];
    const port = Number(text);
    if (!/^\d{1,5}$/.test(text) || port > 65535) throw new Error(`--${name} must be 0 to 65535`);
    return port;
  };
  return { ...values, port: portOf('port'), rawPort: portOf('raw-port') };
}

async function main(): Promise<void> {
  let asked: ReturnType<typeof options>;
  try {
    asked = options();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${USAGE}\n`);
    process.exitCode = 2;
    return;
  }
  if (asked.describe) {
    process.stdout.write(`${JSON.stringify(describe(image, compose(plugins, CORE_ERRORS), recipes), null, 2)}\n`);
    return;
  }
  const log = pino({ base: null }, pino.destination({ fd: 2, sync: true }));
  process.on('uncaughtException', (error) => {
    log.fatal({ error: error.stack }, 'uncaught error');
    process.exit(70);
  });
  const { host, port, rawPort, appliance, state } = asked;
  const run = { host, port, rawPort, appliance };
  let node: RunningNode | undefined;
  let ending = false;
  const halt = async () => {
    ending = true;
    await node?.stop().catch((error: unknown) => log.error({ error: String(error) }, 'did not stop cleanly'));
  };
  const start = async () => {
    const machine = await bindings(state, restart);
    node = await startNode({ image, run, plugins, recipes, validators, bindings: machine, log });
    ending = false;
    process.stdout.write(`ready ${node.url}\nraw ${node.kernel.listening.get('raw') ?? 'off'}\n`);
  };
  /** The same image anew, in this process. */
  const restart = () => {
    if (!ending) void halt().then(start);
  };
  const stop = () => {
    setTimeout(() => process.exit(0), STOP_DEADLINE_MS).unref();
    if (!ending) void halt().then(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  await start();
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
