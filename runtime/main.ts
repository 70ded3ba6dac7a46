/**
 * The entry of an image: starts the node of its variant. `--describe` prints what the image can do, without starting
 * it.
 */
import './node/lean-heap.ts';
import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { defaults } from 'virtual:defaults';
import { beside, bindings, image, plugins, recipeCount, recipes, validators } from 'virtual:variant';
import { Refused } from './base/refused.ts';
import { messageOf, stackOf } from './base/thrown.ts';
import { BOOT_FACTS, RESTART_EXIT_CODE } from './bindings/boot-messages.ts';
import { EX_REFUSED, hold } from './boot/hold.ts';
import { parseOptions, usageOf } from './boot/options.ts';
import { compose } from './kernel/composition.ts';
import { CORE_ERRORS } from './kernel/core-errors.ts';
import { describe } from './kernel/describe.ts';
import { OptionError } from './kernel/errors.ts';
import { createLog } from './kernel/log.ts';
import { collectStart } from './kernel/v8-flags.ts';
import { type RunningNode, startNode } from './node/start.ts';

const STANDARD_OUTPUT = 1;
const USAGE = `usage: main.js ${usageOf(defaults)} [--describe]`;
/** Time limit of an orderly stop. */
const STOP_DEADLINE_MS = 2800;
/** Plugged-in devices are bound within this time, unless one does not respond. */
const BOUND_MS = 2000;
/** Longest time that the check whether this image is good waits for the printer. */
const GOOD_MS = 20;
/** From a start until what it leaves behind is collected, once: what waited for the node is printed by then. */
const COLLECT_MS = 1000;

/** Says it at once. A stream would have to be made for it, at every start, and printing must not depend on who reads the line. */
function say(line: string): void {
  try {
    writeSync(STANDARD_OUTPUT, `${line}\n`);
  } catch {
    // Nobody reads it.
  }
}

async function main(): Promise<void> {
  let asked: ReturnType<typeof parseOptions>;
  try {
    asked = parseOptions(process.argv.slice(2), defaults, { describe: false });
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${USAGE}\n`);
    process.exitCode = EX_REFUSED;
    return;
  }
  if (asked.more['describe'] === true) {
    process.stdout.write(`${JSON.stringify(describe(image, compose(plugins, CORE_ERRORS), recipeCount), null, 2)}\n`);
    return;
  }
  // An image does not run without its launcher, which may have ended while this was loading.
  let stop = (): void => process.exit(0);
  process.on('disconnect', () => stop());
  if (process.env[BOOT_FACTS] !== undefined && process.send !== undefined && !process.connected) stop();
  const log = createLog();
  let node: RunningNode | undefined;
  process.on('uncaughtException', (error) => {
    if (node?.kernel.survives(error) === true) return;
    log.fatal({ error: stackOf(error) }, 'uncaught error');
    node?.kernel.hooks.crash.call(error);
    process.exit(70);
  });
  const { host, port, ports, needed, appliance, state } = asked;
  // Under a launcher, that one holds the folder.
  if (process.env[BOOT_FACTS] === undefined)
    await hold({ state, host, ports: [port, ...needed.map(([, number]) => number)] });
  const run = { host, port, ports, appliance };
  let ending = false;
  const halt = async () => {
    ending = true;
    await node?.stop().catch((error: unknown) => log.error({ error: String(error) }, 'did not stop cleanly'));
  };
  const start = async () => {
    const machine = await bindings(state, restart);
    const started = await startNode({ image, run, beside, plugins, recipes, validators, bindings: machine, log });
    node = started;
    ending = false;
    say(`ready ${started.url}`);
    const bound = Promise.race([started.kernel.hotplug.settled(), delay(BOUND_MS, undefined, { ref: false })]);
    const { listening } = started.kernel;
    const opened = listening.opened();
    const isOver = () => ending || node !== started;
    // The check sends a request to the node itself, which would delay the printer and the line below. It waits for them, but
    // not long: the launcher counts an end before the check against the image, also an end that was asked for.
    void Promise.race([opened, bound, delay(GOOD_MS)]).then(
      () => isOver() || machine.boot.markGood(() => started.works()),
    );
    // A program that reads this line may print at once: the raw port of a connected printer is open by then.
    await Promise.race([opened, bound]);
    if (isOver()) return;
    const { reserved } = listening;
    if (!reserved.has('raw')) say('raw off');
    // `raw`, and `raw:ENDPOINT` for each further printer.
    for (const [name, address] of reserved) say(`${name} ${address}`);
    setTimeout(collectStart, COLLECT_MS).unref();
  };
  /** Ends the process, so that the launcher starts the next image. Without a launcher, starts the node again here. */
  const restart = () => {
    if (!ending) void halt().then(() => (process.connected ? process.exit(RESTART_EXIT_CODE) : start()));
  };
  stop = () => {
    setTimeout(() => process.exit(0), STOP_DEADLINE_MS).unref();
    if (!ending) void halt().then(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  await start();
}

main().catch((error: unknown) => {
  if (error instanceof OptionError) {
    process.stderr.write(`${error.message}\n${USAGE}\n`);
    process.exit(EX_REFUSED);
  }
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(error instanceof Refused ? EX_REFUSED : 1);
});
