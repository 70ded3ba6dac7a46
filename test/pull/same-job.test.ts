/** Which jobs of Server Direct Print are the same: those of one id, one content and one device. */
import { readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { Journal, type Outcome } from '../../runtime/pull/journal.ts';
import { LongAnswer } from '../../runtime/pull/long-answer.ts';
import type { Machine } from '../../runtime/pull/machine.ts';
import { sdp } from '../../runtime/pull/sdp.ts';
import { until } from '../node.ts';
import { startPull, stateFolder } from './pulling.ts';
import { eposPrint, requestInfo, resultsIn, serve } from './servers.ts';
import { receipt, startTill, type Till } from './till.ts';

let server: Till['server'];
let options: Till['options'];
let times: Till['times'];
beforeEach(async () => {
  const till = await startTill();
  ({ server, options, times } = till);
  return till.stop;
});

const READY = { known: true, online: true, paperOut: false, coverOpen: false };

it('two jobs of one answer under one id, as in the example of Epson’s manual, are two: each is printed, and reported', async () => {
  const other = { id: 'a', body: '<text>&lt;b&gt;&#10;</text><cut/>' };
  server.queue.push(receipt('a'), other, receipt('a'));
  const { log } = await startPull(options);
  await until(() => server.heard.length === 2);
  // Both come again.
  server.queue.push(other, receipt('a'));
  await until(() => server.heard.length === 4);
  expect(server.heard).toEqual(Array(4).fill({ id: 'a', success: true, code: '', detail: undefined }));
  expect([times('a'), times('b'), log]).toEqual([1, 1, []]);
});

it('the same job under one id for two printers is two', async () => {
  const [, part = ''] = /(<ePOSPrint>.*)/s.exec(eposPrint('a', '<text>&lt;a&gt;&#10;</text>')) ?? [];
  let answers = 0;
  const heard: ReturnType<typeof resultsIn> = [];
  const till = await serve((_request, body) => {
    const form = new URLSearchParams(body);
    heard.push(...resultsIn(form));
    answers += 1;
    return answers > 1 ? {} : { body: requestInfo([part, part.replace('local_printer', 'kitchen')]) };
  });
  onTestFinished(() => till.close());
  await startPull({ ...options, server: till.url });
  await until(() => heard.length === 2);
  expect(heard.map(({ code }) => code)).toEqual(['', 'DeviceNotFound']);
});

/** A client of a server that hands this out, on this folder, by its own requests alone. */
function asking(folder: string, bodies: () => readonly string[], machine?: Machine) {
  const journal = new Journal(folder, machine);
  onTestFinished(() => journal.close());
  const request = async () => ({ status: 200, headers: {}, body: Buffer.from(requestInfo(bodies())) });
  const { ask } = sdp({ request }, journal, {
    ...{ url: new URL(server.url), id: 'a', long: new LongAnswer(folder, journal) },
    ...{ state: async () => undefined, staleMs: 60_000, log: () => {} },
  });
  return { journal, ask };
}
const KEPT = { version: '2.00', device: 'local_printer' };
const ROW = '<text>\u2615 Latte </text><text em="true">5.40&#10;</text>';
/** As a release before this one wrote it down: by the commands that it made. */
const takenBefore = (folder: string, ids: readonly string[], outcome: Outcome | undefined, machine?: Machine) => {
  const journal = new Journal(folder, machine);
  journal.take(
    ids.map((id, n) => ({
      ...{ id, about: KEPT, print: `other commands ${n} local_printer` },
      commands: [{ type: 'print', lines: [{ type: 'text', value: 'otherwise' }] }],
    })),
  );
  for (const job of journal.open()) if (outcome !== undefined) journal.end(job, outcome);
  return journal;
};
/** A machine that runs on as it is told. */
const machineThat = (upMs: () => number): Machine => ({ run: 'a start', upMs, isClockSet: () => true });

it.each<[string, Outcome | undefined, boolean]>([
  ['that was printed, and the server does not know it', {}, false],
  ['that was printed, and told a moment ago', {}, true],
  ['that is in doubt', { error: 'write_failed', inDoubt: true }, false],
  ['that waits', undefined, false],
])(
  'a receipt of which a release before this one made other commands %s is the same when it comes again',
  async (_, outcome, isTold) => {
    const folder = stateFolder();
    const before = takenBefore(folder, ['a'], outcome);
    if (isTold) for (const job of before.unreported()) before.markReported(job);
    before.close();
    let bodies = [eposPrint('a', ROW)];
    const { journal, ask } = asking(folder, () => bodies);
    expect([await ask(), journal.open().length, journal.unreported().length]).toEqual(
      outcome === undefined ? [false, 1, 0] : [false, 0, 1],
    );
    // From then on another document of this id is another.
    bodies = [eposPrint('a', '<text>another</text>')];
    expect([await ask(), journal.open().length]).toEqual([true, outcome === undefined ? 2 : 1]);
  },
);

it('two receipts of one id are two behind an update, too', async () => {
  const folder = stateFolder();
  takenBefore(folder, ['a', 'a'], {}).close();
  const { journal, ask } = asking(folder, () => [
    eposPrint('a', ROW),
    eposPrint('a', '<text>b</text>'),
    eposPrint('a', '<text>c</text>'),
  ]);
  expect([await ask(), journal.open().length]).toEqual([true, 1]);
});

it('a receipt that comes under an id that was told an hour before an update, or was not printed, is another', async () => {
  let up = 0;
  const machine = machineThat(() => up);
  const folder = stateFolder();
  const before = takenBefore(folder, ['a'], {}, machine);
  for (const job of before.unreported()) before.markReported(job);
  before.close();
  const refused = takenBefore(folder, ['b'], { error: 'invalid_command' }, machine);
  refused.close();
  up = 3_600_000;
  const { journal, ask } = asking(folder, () => [eposPrint('a', ROW), eposPrint('b', ROW)], machine);
  expect([await ask(), journal.open().map(({ id }) => id)]).toEqual([true, ['a', 'b']]);
});

it.each(['a', undefined])('a receipt that a later release makes other commands of is the same: id %s', async (id) => {
  const folder = stateFolder();
  const body = eposPrint('a', ROW).replace(/<printjobid>.*<\/printjobid>/, id === undefined ? '' : '$&');
  const first = asking(folder, () => [body, body]);
  await first.ask();
  const taken = first.journal.open().length;
  for (const job of first.journal.open()) first.journal.end(job, {});
  first.journal.close();
  const file = `${folder}/journal.ndjson`;
  const written = readFileSync(file, 'utf8').replace(/"print":"[^ ]+/g, '"print":"otherwise');
  writeFileSync(file, written.replace(/"id":"[^" ]+ /g, '"id":"otherwise '));
  const second = asking(folder, () => [body, body]);
  expect([await second.ask(), second.journal.open().length, second.journal.unreported().length]).toEqual([
    ...[false, 0],
    taken,
  ]);
  expect(taken).toBe(id === undefined ? 2 : 1);
});

it('a picture that comes again while nobody knows the width of the paper is the same', async () => {
  const image = `<image width="800" height="2">${Buffer.alloc(200, 0xff).toString('base64')}</image>`;
  const folder = stateFolder();
  const journal = new Journal(folder);
  onTestFinished(() => journal.close());
  const long = new LongAnswer(folder, journal);
  let columns: number | undefined = 48;
  const state = async () => (columns === undefined ? undefined : { ...READY, columns });
  const request = async () => ({ status: 200, headers: {}, body: Buffer.from(requestInfo([eposPrint('a', image)])) });
  const { ask } = sdp({ request }, journal, {
    url: new URL(server.url),
    id: 'a',
    long,
    state,
    staleMs: 60_000,
    log: () => {},
  });
  await ask();
  columns = undefined;
  expect([await ask(), journal.open().length]).toEqual([false, 1]);
});
