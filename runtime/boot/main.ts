/** The launcher's own entry: `node launcher.js` with the options of the image, and --factory. */
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaults } from 'virtual:defaults';
import { Refused } from '../base/refused.ts';
import { messageOf } from '../base/thrown.ts';
import { EX_REFUSED, hold } from './hold.ts';
import { Launcher } from './launcher.ts';
import { systemdNotifier } from './notify.ts';
import { parseOptions, portOptions, usageOf } from './options.ts';

const USAGE = `usage: launcher.js [--factory DIR] ${usageOf(defaults)}`;

function options(args: readonly string[]) {
  const { host, port, ports, needed, state, appliance, more } = parseOptions(args, defaults, { factory: true });
  const beside = dirname(fileURLToPath(import.meta.url));
  const directory = resolve(state);
  return {
    ...{ host, port, alsoPorts: needed.map(([, number]) => number) },
    state: directory,
    factory: resolve(typeof more['factory'] === 'string' ? more['factory'] : beside),
    args: [
      ...['--host', host, '--port', String(port), '--state', directory],
      ...portOptions({ ports }).flatMap(([option, number]) => [`--${option}`, String(number)]),
      ...(appliance ? ['--appliance'] : []),
    ],
    notifier: systemdNotifier(),
    log: (line: object) => void process.stderr.write(`${JSON.stringify({ time: Date.now(), boot: true, ...line })}\n`),
  };
}

let asked: ReturnType<typeof options> | undefined;
try {
  asked = options(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n${USAGE}\n`);
  process.exitCode = EX_REFUSED;
}
if (asked !== undefined) {
  const { state, host, port, alsoPorts } = asked;
  const launcher = new Launcher(asked);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => launcher.stop());
  hold({ state, host, ports: [port, ...alsoPorts] })
    .then(() => launcher.run())
    .then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${messageOf(error)}\n`);
        process.exit(error instanceof Refused ? EX_REFUSED : 1);
      },
    );
}
