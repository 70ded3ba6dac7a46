/** Printing over IPP: how soon behind the last byte of a document its last dot has left the node, and what long and many jobs take. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { begin, GET_JOB, message, type Part, PRINT_JOB, read } from '../plugins/ipp/messages.ts';
import { type Entry, median, rssOf } from './measure.ts';
import { startTwin } from './twin.ts';

const ROUNDS = 5;
const LIMIT_MS = 500;
const MB = 1024 * 1024;
const GROWTH_MB = 16;
const WIDTH = 576;
/** Rows of a metre of paper, at 203 dots an inch. */
const METRE = 7992;
/** Just below the most paper that a job may take. */
const METRES = 19.9;
const AT_ONCE = 8;
const LOOK_MS = 5;
const WHITE = 255;
const COMPLETED = 9;

const headOf = (rows: number): Buffer => {
  const head = Buffer.alloc(12 + 32);
  head.write('UNIRAST\0');
  head.writeUInt8(8, 12);
  for (const [at, value] of [
    [12, WIDTH],
    [16, rows],
    [20, 203],
  ] as const)
    head.writeUInt32BE(value, 12 + at);
  return head;
};

/** Lines of letters and white between them, packed as clients do it. */
function textOf(rows: number): Buffer {
  const letters = Buffer.from([0, ...Array.from({ length: WIDTH / 12 }, () => [7, 0, 3, WHITE]).flat()]);
  const white = Buffer.from([0, 0x80]);
  return Buffer.concat([headOf(rows), ...Array.from({ length: rows }, (_, y) => (y % 24 < 16 ? letters : white))]);
}

/** Shades of which no two beside each other are alike. */
function pictureOf(rows: number): Buffer {
  const row = 1 + (WIDTH / 96) * 97;
  const pixels = Buffer.alloc(rows * row);
  for (let y = 0, at = 0; y < rows; y += 1) {
    at += 1;
    for (let x = 0; x < WIDTH; x += 1) {
      if (x % 96 === 0) pixels[at++] = 257 - 96;
      pixels[at++] = 16 + ((x * 7 + y * 3 + ((x * y) % 31)) % 224);
    }
  }
  return Buffer.concat([headOf(rows), pixels]);
}

/** Asks a twin over IPP; also gives when the last byte of the request had left. */
async function ask(ipp: string, operation: number, parts: readonly Part[], document: Uint8Array = new Uint8Array()) {
  const [host, port] = ipp.split(':');
  const asked = request({
    host,
    port,
    method: 'POST',
    path: '/ipp/print',
    headers: { 'Content-Type': 'application/ipp' },
  });
  const whole = Buffer.concat([message(operation, [...begin(`ipp://${ipp}/ipp/print`), ...parts]), document]);
  let sentAt = 0;
  asked.end(whole, () => {
    sentAt = performance.now();
  });
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return { ...read(await buffer(response)), sentAt };
}

/** Prints a document; resolves when it is on paper, with the milliseconds since its last byte was sent. */
async function printed(ipp: string, document: Buffer): Promise<number> {
  const { status, values, sentAt } = await ask(ipp, PRINT_JOB, [[0x49, 'document-format', 'image/urf']], document);
  const id = values['job-id']?.[0];
  if (id === undefined) throw new Error(`0x${status.toString(16)}`);
  for (;;) {
    const state = (await ask(ipp, GET_JOB, [[0x21, 'job-id', id]])).values['job-state']?.[0];
    if (state === COMPLETED) return performance.now() - sentAt;
    if (Number(state) > COMPLETED - 3) throw new Error(`job-state ${state}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** What runs in a twin that has printed a text takes at most, above what the twin had before: resident bytes. */
async function growth(run: (ipp: string) => Promise<unknown>): Promise<number> {
  const { child } = await startTwin();
  const ipp = await child.line('ipp');
  await printed(ipp, textOf(METRE));
  const before = rssOf(child.pid);
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, rssOf(child.pid));
  }, LOOK_MS);
  await run(ipp);
  clearInterval(timer);
  await child.end();
  return most - before;
}

export async function ippBench(): Promise<Entry[]> {
  const metre = pictureOf(METRE);
  const { child } = await startTwin();
  const ipp = await child.line('ipp');
  const behind = async (name: string, document: Buffer): Promise<Entry> => {
    await printed(ipp, document);
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) times.push(await printed(ipp, document));
    const ours = median(times);
    return { name, ratio: ours / LIMIT_MS, ours, theirs: LIMIT_MS, unit: 'ms' };
  };
  const memory = async (name: string, run: (twin: string) => Promise<unknown>): Promise<Entry> => {
    const ours = (await growth(run)) / MB;
    return { name, ratio: ours / GROWTH_MB, ours, theirs: GROWTH_MB, unit: 'MB' };
  };
  const text = await behind('ipp.end.text', textOf(METRE));
  const picture = await behind('ipp.end.picture', metre);
  await child.end();
  const long = pictureOf(Math.floor(METRES * METRE));
  return [
    text,
    picture,
    await memory('ipp.rss.long', (twin) => printed(twin, long)),
    await memory('ipp.rss.many', (twin) => Promise.all(Array.from({ length: AT_ONCE }, () => printed(twin, metre)))),
  ];
}
