/** Which jobs of Server Direct Print are the same: those of one id, one content and one device. */
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { Journal } from '../../runtime/pull/journal.ts';
import { LongAnswer } from '../../runtime/pull/long-answer.ts';
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
