/** Receipts in which an answer broke off, of servers that hand them out again and of those that do not. */
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { Journal } from '../../runtime/pull/journal.ts';
import { LongAnswer } from '../../runtime/pull/long-answer.ts';
import { sdp } from '../../runtime/pull/sdp.ts';
import { type PrintingNode, startPrintingNode, until } from '../node.ts';
import { letPass, startPull, stateFolder, stateOf } from './pulling.ts';
import { eposPrint, type Heard, requestInfo, resultsIn, serve, type TestServer } from './servers.ts';

let node: PrintingNode;
beforeEach(async () => {
  node = await startPrintingNode();
  return () => node.stop();
});

const text = (name: string) => `<text>&lt;${name}&gt;&#10;</text>`;
const times = (name: string) => Buffer.from(node.printer.paperBytes()).toString('latin1').split(`<${name}>`).length - 1;
const options = ({ url }: TestServer) => ({ server: url, node: node.url, protocol: 'sdp' });
const IDS = ['a', 'b', 'c'];
/** Where an answer breaks off, in the second of three jobs. */
const half = (answer: string) => answer.slice(0, answer.indexOf('<b>'.replace('<', '&lt;').replace('>', '&gt;')) + 4);

/** Hands out what waits, the first answers only as far as `cut` gives; a job is over with its result, or with the answer. */
async function till({
  cuts = 1,
  cut = half as (answer: string) => string | Uint8Array,
  keeps = true,
  padding = '',
} = {}) {
  const left = new Set(IDS);
  const heard: Heard[] = [];
  const answers: string[] = [];
  let broken = 0;
  let isDown = false;
  const server = await serve((_request, body) => {
    const form = new URLSearchParams(body);
    if (form.get('ConnectionType') === 'SetResponse') {
      heard.push(...resultsIn(form));
      for (const { id } of resultsIn(form)) left.delete(id ?? '');
      return {};
    }
    if (isDown) return undefined;
    answers.push([...left].join(''));
    const whole = left.size === 0 ? '' : requestInfo([padding, ...[...left].map((id) => eposPrint(id, text(id)))]);
    if (!keeps) left.clear();
    broken += 1;
    return broken > cuts ? { body: whole } : { body: cut(whole), cut: true, headers: { 'Content-Length': '9999999' } };
  });
  onTestFinished(() => server.close());
  const answering = (answers: boolean) => {
    isDown = !answers;
  };
  return { ...server, heard, answers, answering };
}
function journalOf(state: string, server: TestServer): Journal {
  const journal = new Journal(stateOf(state, { server: server.url }));
  journal.close();
  return journal;
}
const results = (heard: readonly Heard[]) => heard.map(({ id, code }) => [id, code]);

it.each<[string, Parameters<typeof till>[0]]>([
  ['in its text', {}],
  ['in a character', { cut: (answer) => Buffer.concat([Buffer.from(half(answer)), Buffer.of(0xc3)]) }],
  ['four times', { cuts: 4 }],
  ['and is too long to hold', { padding: `<!--${'x'.repeat(300_000)}-->` }],
])('a receipt in which an answer breaks off %s is printed once it comes whole', async (_, how) => {
  const server = await till(how);
  await startPull(options(server));
  await until(() => server.heard.length === 3);
  expect(results(server.heard).sort()).toEqual(IDS.map((id) => [id, '']));
  await until(() => server.answers.at(-1) === '');
  const { length } = server.answers;
  await until(() => server.answers.length > length + 4);
  expect([server.heard.length, IDS.map(times)]).toEqual([3, [1, 1, 1]]);
});

/** The client of a server that gives these answers, on a machine that has run for so long. */
function asking(folder: string, answer: () => string, upMs: () => number) {
  const journal = new Journal(folder, { run: 'a start', upMs, isClockSet: () => true });
  onTestFinished(() => journal.close());
  const request = async () => {
    if (answer() === '') return { status: 200, headers: {}, body: Buffer.alloc(0) };
    return { status: 200, headers: {}, body: Buffer.from(answer()), fault: 'it ends' };
  };
  const { ask } = sdp({ request }, journal, {
    ...{ url: new URL('http://a.test'), id: 'a', long: new LongAnswer(folder, journal), staleMs: 600_000 },
    ...{ state: async () => undefined, log: () => {} },
  });
  return { journal, ask };
}
const CUT = requestInfo([eposPrint('b', text('b'))]).slice(0, -60);

it('a receipt that whole answers do not have is reported when a server that lends it would have handed it out again, also behind a start', async () => {
  let [up, answer] = [0, CUT];
  const folder = stateFolder();
  const first = asking(
    folder,
    () => answer,
    () => up,
  );
  await first.ask();
  answer = '';
  up = 149_000;
  for (let n = 0; n < 5; n += 1) await first.ask();
  expect([first.journal.held().length, first.journal.open()]).toEqual([1, []]);
  first.journal.close();
  up = 151_000;
  const { journal, ask } = asking(
    folder,
    () => answer,
    () => up,
  );
  for (let n = 0; n < 2; n += 1) await ask();
  expect([journal.held().length, journal.open()]).toEqual([1, []]);
  await ask();
  expect([journal.held(), journal.open()]).toMatchObject([[], [{ id: 'b', commands: { code: 'invalid_command' } }]]);
});

it.each([true, false])('a receipt is held over a start of the program: the server keeps it: %s', async (keeps) => {
  const server = await till({
    keeps,
    cut: (answer) => {
      server.answering(false);
      return half(answer);
    },
  });
  const state = stateFolder();
  const pulling = await startPull(options(server), [], state);
  await until(() => server.heard.length === 1);
  await pulling.stop();
  expect(journalOf(state, server).held()).toHaveLength(1);
  if (!keeps) letPass(stateOf(state, { server: server.url }), 151_000);
  server.answering(true);
  const { log } = await startPull(options(server), [], state);
  // One that was told as the program stopped is told again.
  const codes = () => new Map(server.heard.map(({ id, code }) => [id, code]));
  await until(() => codes().size === (keeps ? 3 : 2));
  expect([...codes().values()]).toEqual(keeps ? ['', '', ''] : ['', 'SchemaError']);
  expect(IDS.map(times)).toEqual(keeps ? [1, 1, 1] : [1, 0, 0]);
  expect(log.filter((line) => line.includes('did not come again'))).toHaveLength(keeps ? 0 : 1);
  const [{ length }, told] = [server.answers, server.heard.length];
  await until(() => server.answers.length > length + 4);
  expect(server.heard.length).toBe(told);
});

it('a receipt that is held is in the journal, neither open nor reported, until it is settled', () => {
  const folder = stateFolder();
  const fault = { fault: 'it ends', code: 'invalid_command' };
  const journal = new Journal(folder);
  journal.take([
    { id: 'a', commands: fault, isHeld: true },
    { id: 'b', commands: fault, isHeld: true },
  ]);
  expect([journal.open(), journal.unreported(), journal.held().map(({ id }) => id)]).toEqual([[], [], ['a', 'b']]);
  journal.close();
  const second = new Journal(folder);
  const [a, b] = second.held();
  second.settle(a!, true);
  second.settle(b!, false);
  second.close();
  const third = new Journal(folder);
  expect([third.held(), third.open().map(({ id }) => id)]).toEqual([[], ['b']]);
  third.close();
});
