/** What the node says of a receipt that is on paper is told. */
import { expect, it, onTestFinished } from 'vitest';
import { until } from '../node.ts';
import { startPull } from './pulling.ts';
import { starServer } from './star.ts';
import { receipt, startTill } from './till.ts';

const SHOWN = /1 characters this printer cannot show were printed as \?/;

it('what the node printed otherwise than asked for is told in the result, and once in the log', async () => {
  const till = await startTill();
  onTestFinished(till.stop);
  const body = '<text>&lt;a&gt;\ue000&#10;</text><cut type="no_feed"/>';
  till.server.queue.push(receipt('1', body), receipt('2', body), receipt('3'));
  const { log } = await startPull(till.options);
  await until(() => till.server.heard.length === 3);
  expect(till.server.heard.map(({ success, detail }) => [success, detail])).toEqual([
    ...[1, 2].map(() => [true, expect.stringMatching(new RegExp(`^cut: no_feed .*; ${SHOWN.source}$`))]),
    [true, undefined],
  ]);
  expect(log.filter((line) => SHOWN.test(line))).toHaveLength(1);
});

it('what the node printed otherwise than asked for stands in the log where the protocol has no word for it', async () => {
  const till = await startTill();
  onTestFinished(till.stop);
  const star = await starServer();
  onTestFinished(() => star.close());
  star.queue.push({ token: '1', types: ['text/plain'], body: 'a\ue000' });
  const { log } = await startPull({ server: star.url, node: till.node.url, protocol: 'cloudprnt' });
  await until(() => star.codes.length === 1);
  expect([star.codes, log.filter((line) => SHOWN.test(line)).length]).toEqual([['200 OK'], 1]);
});
