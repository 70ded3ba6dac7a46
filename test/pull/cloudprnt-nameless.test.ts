/** Jobs of CloudPRNT without a token: a confirmation names none, and takes whatever is first at the server. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { cloudprnt } from '../../runtime/pull/cloudprnt.ts';
import { Journal } from '../../runtime/pull/journal.ts';
import { folderOf } from '../../runtime/pull/pull.ts';
import { type Server, ServerFault } from '../../runtime/pull/server.ts';
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

/** The client of a server whose first DELETE is lost, and that says that it has no job while `isHidden`; it prints at once. */
function losingFirst(isHidden: () => boolean, upMs: () => number) {
  const journal = new Journal(stateFolder(), { run: 'a start', upMs, isClockSet: () => true });
  onTestFinished(() => journal.close());
  const deletes: string[] = [];
  const request: Server['request'] = async (method) => {
    const answer = (type: string, body: string) => ({
      ...{ status: 200, headers: { 'content-type': type }, body: Buffer.from(body) },
    });
    if (method === 'POST')
      return answer('application/json', JSON.stringify({ jobReady: !isHidden(), mediaTypes: ['text/plain'] }));
    if (method === 'GET') return answer('text/plain', '<A>');
    deletes.push(method);
    if (deletes.length === 1) throw new ServerFault('no answer');
    return answer('text/plain', '');
  };
  const protocol = cloudprnt({ request }, journal, {
    ...{ url: new URL('http://a.test'), id: 'a', everyMs: 1000, log: () => {} },
    state: async () => ({ known: true, online: true, paperOut: false, coverOpen: false }),
  });
  /** A turn of the loop. Resolves with how many jobs were printed in it. */
  const turn = async () => {
    await protocol.ask();
    const open = journal.open();
    for (const job of open) journal.end(job, {});
    await protocol.report(journal.unreported()).catch(() => {});
    return open.length;
  };
  return { turn, deletes, journal };
}

it.each([
  ['some seconds, and offers then, is told again and not printed again', 9000, [1, 0, 0, 0]],
  ['a minute has heard of it, and the same again is another', 60_000, [1, 0, 0, 1]],
])('a job that the server has not offered for %s', async (_, ms, expected) => {
  let [up, isHidden] = [0, false];
  const { turn, deletes, journal } = losingFirst(
    () => isHidden,
    () => up,
  );
  const printed = [await turn()];
  isHidden = true;
  printed.push(await turn());
  up = ms;
  printed.push(await turn());
  isHidden = false;
  printed.push(await turn());
  expect([printed, deletes.length, journal.unreported()]).toEqual([expected, 2, []]);
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
