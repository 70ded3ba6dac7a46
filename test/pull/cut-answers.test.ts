/** Receipts in which an answer broke off, of servers that hand them out again and of those that do not. */
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { Journal } from '../../runtime/pull/journal.ts';
import { type PrintingNode, startPrintingNode, until } from '../node.ts';
import { startPull, stateFolder, stateOf } from './pulling.ts';
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

it('a receipt that does not come again with the next answers is reported, once', async () => {
  const server = await till({ keeps: false });
  const { log } = await startPull(options(server));
  await until(() => server.heard.length === 2);
  expect(results(server.heard)).toEqual([
    ['a', ''],
    ['b', 'SchemaError'],
  ]);
  expect(server.answers.length).toBe(4);
  expect(log.filter((line) => line.includes('did not come again'))).toHaveLength(1);
  const { length } = server.answers;
  await until(() => server.answers.length > length + 4);
  expect([server.heard.length, IDS.map(times)]).toEqual([2, [1, 0, 0]]);
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
  server.answering(true);
  await startPull(options(server), [], state);
  // One that was told as the program stopped is told again.
  const codes = () => new Map(server.heard.map(({ id, code }) => [id, code]));
  await until(() => codes().size === (keeps ? 3 : 2));
  expect([...codes().values()]).toEqual(keeps ? ['', '', ''] : ['', 'SchemaError']);
  expect(IDS.map(times)).toEqual(keeps ? [1, 1, 1] : [1, 0, 0]);
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
