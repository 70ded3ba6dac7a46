/**
 * The built twin, updated to images that are no good, side by side and with all the patience of the launcher that ships:
 * each is back on the image before it within the time that the launcher's README names. Seven minutes; `npm run lab` has
 * it, `npm test` has not (test/boot/bad-images.test.ts has less patience).
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { call, launch, twinImage, UPDATE_KEY, upload } from '../image/launched.ts';
import { until } from '../node.ts';

/** A thread that waits for what nobody tells it: it hangs, and costs the others nothing. */
const HANG = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';
/** Among the lines of the launcher: it counts from here, and may have been ready for long on a busy machine. */
const SAYS_GOOD = "process.stderr.write(JSON.stringify({ boot: true, time: Date.now(), msg: 'good' }) + '\\n');";
const throwsAfter = (seconds: number) => `setTimeout(() => { throw new Error('late'); }, ${seconds * 1000});`;
const onGood = (then: string) =>
  `{
     const send = process.send.bind(process);
     process.send = (message, ...more) => { if (message.type === 'good') { ${then} } return send(message, ...more); };
   }`;

/** What each does before anything else of the image, whose names it shares; the keys are those of the README. */
const KINDS: Readonly<Record<string, string>> = {
  'crashes at start': "throw new Error('no');",
  'has a syntax error': 'this is no program;',
  'exits with 0': 'process.exit(0);',
  'runs out of memory within a minute':
    'const kept = []; setInterval(() => kept.push(Array.from({ length: 20_000 }, (_, i) => ({ i }))), 10);',
  'throws at 20 s': throwsAfter(20),
  'throws at 65 s': throwsAfter(65),
  'hangs after it was good': onGood(`${SAYS_GOOD} setTimeout(() => { ${HANG} }, 10);`),
  'is busy for ever': 'for (;;);',
  'is never good': onGood('return true;'),
};
/** A heap that is soon full. */
const HEAP_MIB = 128;
/** Limit that is so long that a test says how long it took, rather than that it took too long. */
const PATIENCE_MS = 1_200_000;

/** `| it | is given up after | seconds |`. */
const named = new Map(
  readFileSync('runtime/boot/README.md', 'utf8')
    .split('## How long a bad image takes')[1]
    ?.split('\n')
    .flatMap((line) => {
      const [, name = '', , seconds = ''] = line.split('|').map((cell) => cell.trim());
      return /^\d+$/.test(seconds) ? [[name, Number(seconds)] as const] : [];
    }),
);

interface Line {
  readonly time: number;
  readonly msg: string;
  readonly slot?: string;
  readonly uptimeMs?: number;
  readonly detail?: string;
}

interface Told {
  /** From its first start until the image before it was started again, without what the starts themselves took. */
  readonly seconds: number;
  /** How each run of the bad image ended, and how long it was. */
  readonly runs: readonly string[];
  /** The status of the node that is there again. */
  readonly status: Status;
}

interface Status {
  readonly identity: { readonly slot: string; readonly firmwareVersion: string };
  readonly boot: { readonly reason: string };
}

/** Updates a box to an image that does this, and tells what came of it once it is on its factory image again. */
async function back(then: string): Promise<Told> {
  const state = mkdtempSync(join(tmpdir(), 'tillnode-bad-'));
  const lines: Line[] = [];
  const of = (msg: string, slot: string) => lines.filter((line) => line.msg === msg && line.slot === slot);
  const ready: number[] = [];
  let isBack = () => {};
  const again = new Promise<void>((resolve) => {
    isBack = resolve;
  });
  const launched = launch(state, {
    env: { ...process.env, NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` },
    onReady: () => void ready.push(Date.now()),
    onLog: (line) => {
      lines.push(line as Line);
      if (line.msg === 'good') ready.push((line as Line).time);
      if (of('image started', 'factory').length === 2) isBack();
    },
  });
  ending.push(async () => {
    await launched.kill('SIGTERM');
    rmSync(state, { recursive: true, force: true });
  });
  const url = await launched.ready(1);
  const startMs = Date.now() - (of('image started', 'factory')[0]?.time ?? 0);
  await call(url, 'PUT', '/update', { updateKey: UPDATE_KEY });
  const image = twinImage('9.9.9', (main) => `${then}\n${main}`);
  expect(await upload(url, image)).toMatchObject({ status: 200 });
  await again;
  const statusNow = () => call<Status>(launched.last() ?? '', 'GET', '/status').catch(() => undefined);
  let status = await statusNow();
  await until(async () => {
    status = await statusNow();
    return status?.identity.slot === 'factory';
  });
  if (status === undefined) throw new Error('nothing answers');
  const starts = of('image started', 'a');
  const ends = of('image ended', 'a');
  const wholeMs = (of('image started', 'factory')[1]?.time ?? 0) - (starts[0]?.time ?? 0);
  const startsMs = ends.reduce((sum, { uptimeMs = 0 }, run) => {
    const from = starts[run]?.time ?? 0;
    const readyAfter = ready.findLast((at) => at >= from && at <= from + uptimeMs);
    return sum + (readyAfter === undefined ? Math.min(uptimeMs, startMs) : readyAfter - from);
  }, 0);
  return {
    seconds: (wholeMs - startsMs) / 1000,
    runs: ends.map(({ uptimeMs = 0, detail }) => `${(uptimeMs / 1000).toFixed(1)} s, ${detail}`),
    status,
  };
}

/** How late a timer of this machine is at worst: nothing where it is quiet. */
const machine = { lateMs: 0 };
let due = performance.now() + 1000;
const watch = setInterval(() => {
  machine.lateMs = Math.max(machine.lateMs, performance.now() - due);
  due = performance.now() + 1000;
}, 1000);

const ending: (() => Promise<void>)[] = [];
const told = new Map<string, Promise<Told>>();
beforeAll(() => {
  for (const [name, then] of Object.entries(KINDS)) {
    const one = back(then);
    // Whoever waits for it hears of it.
    one.catch(() => {});
    told.set(name, one);
  }
});
afterAll(async () => {
  clearInterval(watch);
  await Promise.all(ending.map((end) => end()));
});

it('there is a bad image of each kind that the README names', () => {
  expect(Object.keys(KINDS)).toEqual([...named.keys()]);
});

it.each([...named])(
  'an image that %s is gone in %d s',
  async (name, seconds) => {
    const { seconds: took = Number.POSITIVE_INFINITY, runs = [], status } = (await told.get(name)) ?? {};
    // Of each run, the launcher hears of it and ends it, both as late as that.
    const late = (2 * runs.length * Math.ceil(machine.lateMs)) / 1000;
    process.stdout.write(`${JSON.stringify({ name, named: seconds, took, late, runs })}\n`);
    expect(status).toMatchObject({ identity: { slot: 'factory' }, boot: { reason: 'rollback' } });
    expect(took).toBeLessThanOrEqual(seconds + late);
  },
  PATIENCE_MS,
);
