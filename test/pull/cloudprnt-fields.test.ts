/** Receipts of CloudPRNT whose fields are empty, not known, or missing. */
import { beforeEach, expect, it } from 'vitest';
import { type PrintingNode, startPrintingNode, until } from '../node.ts';
import { startPull } from './pulling.ts';
import { type StarServer, starServer } from './star.ts';

let node: PrintingNode;
let star: StarServer;
beforeEach(async () => {
  node = await startPrintingNode();
  star = await starServer();
  return async () => {
    await star.close();
    await node.stop();
  };
});

const paper = () => Buffer.from(node.printer.paperBytes()).toString('latin1');
const times = (words: string) => paper().split(words).length - 1;

it.each([
  ['X-Star-Cut', '', 'X-Star-Cut: it is empty'],
  ['X-Star-Cut', 'zigzag', 'X-Star-Cut: "zigzag"'],
  ['X-Star-CashDrawer', '', 'X-Star-CashDrawer: it is empty'],
  ['X-Star-CashDrawer', 'both', 'X-Star-CashDrawer: "both"'],
  ['Content-Type', '', 'without Content-Type: it is taken for text/plain'],
])('a receipt with %s "%s" is printed and cut as one without it, and the log says so', async (name, value, words) => {
  star.queue.push({ token: '1', types: ['text/plain'], headers: { [name]: value }, body: '<1>\n' });
  const { log } = await startPull({ server: star.url, node: node.url, protocol: 'cloudprnt' });
  await until(() => star.codes.length === 1);
  expect([star.codes, times('<1>'), times('\x1dV')]).toEqual([['200 OK'], 1, 1]);
  expect(log.filter((line) => line.includes(words))).toHaveLength(1);
});
