/** The state belongs to a server: its URL, its protocol and what it knows this printer by; no name and no place in a file. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { Journal } from '../../runtime/pull/journal.ts';
import { folderOf } from '../../runtime/pull/pull.ts';
import { type PrintingNode, startPrintingNode, until } from '../node.ts';
import { startPull, stateFolder, stateOf } from './pulling.ts';
import { odooServer } from './servers.ts';

let node: PrintingNode;
beforeEach(async () => {
  node = await startPrintingNode();
  return () => node.stop();
});

const about = { version: '2.00', device: 'local_printer' };
const optionsOf = ({ url }: { url: string }) => ({ server: url, node: node.url, protocol: 'sdp' });
const openServer = async () => {
  const server = await odooServer();
  onTestFinished(() => server.close());
  return server;
};

it('what the server before has not heard is kept for it, said in the log, and never told to the next', async () => {
  const [before, after] = [await openServer(), await openServer()];
  const state = stateFolder();
  const journal = new Journal(stateOf(state, optionsOf(before)));
  journal.take([{ id: '1', about, commands: [{ type: 'print', lines: [{ type: 'text', value: 'x' }] }] }]);
  journal.end(journal.open()[0]!, {});
  journal.close();
  const next = await startPull(optionsOf(after), [], state);
  await until(() => after.asked.length > 3);
  expect([after.heard, next.log.join()]).toEqual([
    [],
    expect.stringMatching(/127\.0\.0\.1-\w+: the state of a server/),
  ]);
  await next.stop();
  await startPull(optionsOf(before), [], state);
  await until(() => before.heard.length === 1);
  expect(before.heard).toMatchObject([{ id: '1', success: true }]);
});

it('a job that waits for one server has not the drawer of another', async () => {
  const [before, after] = [await openServer(), await openServer()];
  const state = stateFolder();
  const journal = new Journal(stateOf(state, optionsOf(before)));
  journal.take([{ id: '1', about, commands: [{ type: 'drawer_kick', pin: 2, onMs: 100 }] }]);
  journal.close();
  await startPull(optionsOf(after), ['--allow-drawer'], state);
  await until(() => after.asked.length > 3);
  expect([after.heard, node.printer.state.drawer]).toEqual([[], 'closed']);
});

it('a journal that has the name of the server alone, as there were, is kept aside and said in the log', async () => {
  const server = await openServer();
  const state = stateFolder();
  const old = new Journal(`${state}/server`);
  old.take([{ id: '1', about, commands: [{ type: 'drawer_kick', pin: 2, onMs: 100 }] }]);
  old.close();
  const { log } = await startPull(optionsOf(server), ['--allow-drawer'], state);
  await until(() => server.asked.length > 3);
  expect([server.heard, node.printer.state.drawer, log]).toEqual([
    [],
    'closed',
    [expect.stringContaining('/server: ')],
  ]);
});

it('the state is in a folder that tells people the host, and no secret of the URL', () => {
  const folders = ['http://shop.example/1?token=secret', 'http://shop.example/2', 'https://shop.example/2'].map((url) =>
    folderOf({ server: new URL(url), protocol: 'sdp', id: 'a' }),
  );
  expect(folders.map((each) => /^shop\.example-[\da-f]{32}$/.test(each))).toEqual([true, true, true]);
  const other = folderOf({ server: new URL('http://shop.example/2'), protocol: 'cloudprnt', id: 'a' });
  expect(new Set([...folders, other]).size).toBe(4);
});

it('what of the journal cannot be read is said in the log, and the rest is printed', async () => {
  const server = await openServer();
  const state = stateFolder();
  const folder = stateOf(state, optionsOf(server));
  const journal = new Journal(folder);
  const jobOf = (id: string) => ({
    id,
    about,
    commands: [{ type: 'print' as const, lines: [{ type: 'text' as const, value: id }] }],
  });
  for (const id of ['1', '2', '3']) journal.take([jobOf(id)]);
  journal.close();
  const lines = readFileSync(`${folder}/journal.ndjson`);
  lines.fill(0, lines.indexOf('"2"'), lines.indexOf('"3"'));
  writeFileSync(`${folder}/journal.ndjson`, lines);
  const { log } = await startPull(optionsOf(server), [], state);
  await until(() => server.heard.length === 1);
  expect([server.heard, log]).toMatchObject([
    [{ id: '1', success: true }],
    [
      expect.stringMatching(
        /: \d+ bytes of .+ cannot be read: a receipt that was taken there is neither printed nor reported/,
      ),
    ],
  ]);
});

it('a line of the journal that is none is passed over', () => {
  const folder = stateFolder();
  const first = new Journal(folder);
  first.take([{ id: '1', about, commands: [] }]);
  first.close();
  appendFileSync(`${folder}/journal.ndjson`, 'null\n7\n"job"\n{"job":null}\n{"job":{}}\n');
  const second = new Journal(folder);
  onTestFinished(() => second.close());
  expect(second.open().map(({ id }) => id)).toEqual(['1']);
});
