/** Jobs of CloudPRNT without a token: a confirmation names none, and takes whatever is first at the server. */
import { beforeEach, expect, it } from 'vitest';
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
