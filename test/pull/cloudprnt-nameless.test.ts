/** Jobs of CloudPRNT without a token: a confirmation names none, and takes whatever is first at the server. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { Journal } from '../../runtime/pull/journal.ts';
import { folderOf } from '../../runtime/pull/pull.ts';
import { type PrintingNode, startPrintingNode, until } from '../node.ts';
import { type Pulling, startPull, stateFolder } from './pulling.ts';
import { type StarServer, starServer } from './star.ts';

let node: PrintingNode;
let server: StarServer;
beforeEach(async () => {
  [node, server] = [await startPrintingNode(), await starServer()];
  for (const name of ['A', 'B', 'C']) server.queue.push({ types: ['text/plain'], body: `<${name}>` });
  return async () => {
    await server.close();
    await node.stop();
  };
});

const options = () => ({ server: server.url, node: node.url, protocol: 'cloudprnt' });
const printed = () =>
  [
    ...Buffer.from(node.printer.paperBytes())
      .toString('latin1')
      .matchAll(/<([A-C])>/g),
  ].map(([, name]) => name);
/** Loses the answer to the first DELETE, which the server has heard or not. */
const losing = (isHeard: boolean, then = () => {}) => {
  let lost = 0;
  server.failing = (method) => {
    if (method !== 'DELETE' || lost > 0) return undefined;
    lost += 1;
    if (isHeard) server.queue.shift();
    then();
    return { status: 0 };
  };
};

it.each([
  ['had heard of', true],
  ['had not heard of', false],
])('each is printed once where the answer to a DELETE is lost that the server %s', async (_, isHeard) => {
  losing(isHeard);
  await startPull(options());
  await until(() => server.codes.length === (isHeard ? 2 : 3) && server.queue.length === 0);
  expect([printed(), new Set(server.codes)]).toEqual([['A', 'B', 'C'], new Set(['200 OK'])]);
});

it.each([
  ['had heard of it', true],
  ['had not heard of it', false],
])('each is printed once where the program ends at a DELETE, and the server %s', async (_, isHeard) => {
  let first: Pulling | undefined;
  const state = stateFolder();
  let ended: Promise<void> | undefined;
  losing(isHeard, () => {
    ended = first?.stop();
  });
  first = await startPull(options(), [], state);
  await until(() => ended !== undefined);
  await ended;
  await startPull(options(), [], state);
  await until(() => server.queue.length === 0);
  expect(printed()).toEqual(['A', 'B', 'C']);
});

it('the last is told as it was where the server has none behind it, and the same again is another', async () => {
  server.queue.splice(1);
  losing(true);
  await startPull(options());
  await until(() => server.polls.length > 4);
  server.queue.push({ types: ['text/plain'], body: '<A>' });
  await until(() => server.queue.length === 0);
  expect([printed(), server.codes]).toEqual([['A', 'A'], ['200 OK']]);
});

/** Ends the program at its first DELETE, which the server has not heard; resolves with its state. */
async function endedAtDelete(): Promise<string> {
  const deleted = new Promise<void>((resolve) => losing(false, resolve));
  const { state, stop } = await startPull(options());
  await deleted;
  await stop();
  return state;
}

it('a job of which the server says first that it has none, with client actions, is not printed again', async () => {
  server.queue.splice(1);
  const state = await endedAtDelete();
  // As Star's plugin does it when it hears of a printer.
  const waiting = server.queue.splice(0);
  server.action = [{ request: 'ClientType' }];
  const { stop } = await startPull(options(), [], state);
  server.queue.push(...waiting);
  await until(() => server.queue.length === 0);
  await stop();
  expect([printed(), server.codes]).toEqual([['A'], ['200 OK']]);
});

it('a job that the server has given up while the program was away takes none with it', async () => {
  const state = stateFolder();
  const place = { server: new URL(server.url), protocol: 'cloudprnt', id: 'local_printer' } as const;
  const journal = new Journal(join(state, folderOf(place)));
  const commands = [{ type: 'print' as const, lines: [{ type: 'text' as const, value: '<C>' }] }];
  journal.take([{ id: 'its content', nameless: true, about: { method: 'DELETE' }, commands }]);
  journal.close();
  server.queue.splice(2);
  await startPull(options(), [], state);
  await until(() => server.queue.length === 0);
  expect(printed()).toEqual(['C', 'A', 'B']);
});

it('a receipt that a release before this one printed, and knew by its text alone, is told and not printed again', async () => {
  server.queue.splice(1);
  const state = stateFolder();
  const place = { server: new URL(server.url), protocol: 'cloudprnt', id: 'local_printer' } as const;
  const journal = new Journal(join(state, folderOf(place)));
  const id = createHash('sha256').update('<A>').digest('base64url');
  journal.take([{ id, nameless: true, about: { method: 'DELETE' }, commands: [] }]);
  for (const job of journal.open()) journal.end(job, {});
  journal.close();
  await startPull(options(), [], state);
  await until(() => server.queue.length === 0);
  expect([printed(), server.codes]).toEqual([[], ['200 OK']]);
});

it('two receipts of one text that are cut otherwise are two', async () => {
  const receipt = (cut: string) => ({ types: ['text/plain'], body: '<A>', headers: { 'X-Star-Cut': cut } });
  server.queue.splice(0, 3, receipt('none'), receipt('full'));
  losing(true);
  await startPull(options());
  await until(() => server.codes.length === 1);
  expect(printed()).toEqual(['A', 'A']);
});
