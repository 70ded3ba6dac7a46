/** A receipt that may be on paper, and whose key the node has forgotten since. */
import { expect, it, onTestFinished } from 'vitest';
import { NodeClient } from '../../runtime/client/client.ts';
import { Reply } from '../../runtime/kernel/reply.ts';
import { Journal, type PulledJob } from '../../runtime/pull/journal.ts';
import { printJob } from '../../runtime/pull/printing.ts';
import { stateFolder } from './pulling.ts';
import { startTill } from './till.ts';

const JOB = { id: 'a', commands: [{ type: 'print' as const, lines: [{ type: 'text' as const, value: '<a>' }] }] };

it.each([
  ['printed twice, where that was while the program was killed: it is in doubt', 1000, true],
  ['printed twice, where that was while the program ran: it is in doubt', 1000, false],
  ['in doubt where the node still knows it', 900, true],
])('a receipt whose answer was lost, with requests of others since, is not %s', async (_, others, isKilled) => {
  const till = await startTill();
  onTestFinished(till.stop);
  const folder = stateFolder();
  const killed = new AbortController();
  let lost = 0;
  const losing: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (init?.method !== 'POST' || lost > 0) return response;
    lost += 1;
    const { keys } = till.node.kernel;
    for (let n = 0; n < others; n += 1)
      await keys.once(
        { key: `${n}`, method: 'POST', path: '/print', body: {}, from: '' },
        async () => new Reply(200, {}),
      );
    if (isKilled) killed.abort();
    throw new TypeError('the answer is lost');
  };
  const print = (journal: Journal, job: PulledJob, get: typeof fetch, signal: AbortSignal) => {
    const client = new NodeClient({ url: till.options.node, fetch: get });
    const words = { log: () => {}, endpoint: 'receipt', allowDrawer: false, staleMs: 600_000 };
    return printJob(job, journal, { ...words, client, signal });
  };
  const journal = new Journal(folder);
  journal.take([JOB]);
  const first = print(journal, journal.open()[0]!, losing, killed.signal);
  if (isKilled) await expect(first).rejects.toThrow();
  await first.catch(() => {});
  journal.close();
  const again = new Journal(folder);
  onTestFinished(() => again.close());
  for (const job of again.open()) await print(again, job, fetch, new AbortController().signal);
  const doubt = { error: 'write_failed', inDoubt: true, detail: expect.stringContaining('may have printed') };
  expect([lost, till.times('a')]).toEqual([1, 1]);
  expect(again.unreported().map(({ outcome }) => outcome)).toEqual([
    others < 1000 ? { status: expect.any(Number) } : expect.objectContaining(doubt),
  ]);
});

it('a receipt that may be on paper is in doubt where the node knows its key by another request, as of a release before this one', async () => {
  const till = await startTill();
  onTestFinished(till.stop);
  const journal = new Journal(stateFolder());
  onTestFinished(() => journal.close());
  journal.take([JOB]);
  const [job] = journal.open();
  const other = { ...{ key: `${job!.key}-0`, method: 'POST', path: '/print' }, body: { id: 'otherwise' }, from: '' };
  await till.node.kernel.keys.once(other, async () => new Reply(200, {}));
  journal.begin(job!);
  const client = new NodeClient({ url: till.options.node, fetch });
  const words = { log: () => {}, endpoint: 'receipt', allowDrawer: false, staleMs: 600_000 };
  await printJob(job!, journal, { ...words, client, signal: new AbortController().signal });
  expect(journal.unreported().map(({ outcome }) => outcome)).toMatchObject([
    { error: 'write_failed', inDoubt: true, detail: expect.stringContaining('another request') },
  ]);
});
