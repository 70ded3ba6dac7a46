/** Receipts that come while the printer's cover is open or its paper out, as far as the node has read. */
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { NodeClient } from '../../runtime/client/client.ts';
import { Journal } from '../../runtime/pull/journal.ts';
import { type Machine, thisMachine } from '../../runtime/pull/machine.ts';
import { printJob } from '../../runtime/pull/printing.ts';
import { until } from '../node.ts';
import { startPull, stateFolder, stateOf } from './pulling.ts';
import { startTill, type Till } from './till.ts';

let till: Till;
beforeEach(async () => {
  till = await startTill();
  return till.stop;
});

const FAULTS = [
  ['a cover that is open', { cover: 'open' }, 'EPTR_COVER_OPEN'],
  ['paper that is out', { paper: 'out' }, 'EPTR_REC_EMPTY'],
] as const;
type Status = { readonly printers: readonly { readonly online: boolean }[] };

/** Changes the printer, which the node reads when it is plugged in. */
async function changed(change: Parameters<Till['node']['printer']['set']>[0], online: boolean): Promise<void> {
  const { node } = till;
  node.printer.set(change);
  await node.unplug();
  await node.replug();
  await until(async () => (await node.get<Status>('/status')).body.printers[0]?.online === online);
}
/** The journal of a machine with a receipt that came `ageMs` ago. */
function journalWith(folder: string, machine: Machine, ageMs = 0): Journal {
  const journal = new Journal(folder, { ...machine, upMs: () => machine.upMs() - ageMs });
  const commands = [{ type: 'print' as const, lines: [{ type: 'text' as const, value: '<a>' }] }];
  journal.take([{ id: 'a', about: { version: '2.00', device: 'local_printer' }, commands }]);
  return journal;
}
/** Prints it; `onStatus`: the status was asked for so many times. Resolves with what came of it, and how often that was. */
async function printed(machine: Machine, onStatus: (times: number) => Promise<void>) {
  const journal = journalWith(stateFolder(), machine);
  onTestFinished(() => journal.close());
  let asked = 0;
  const get: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (!String(input).endsWith('/status')) return response;
    asked += 1;
    await onStatus(asked);
    return response;
  };
  const client = new NodeClient({ url: till.options.node, fetch: get });
  const words = { log: () => {}, endpoint: 'receipt', allowDrawer: false, staleMs: 600_000 };
  await printJob(journal.open()[0]!, journal, { ...words, client, signal: new AbortController().signal });
  return { outcome: journal.unreported()[0]?.outcome, asked };
}

it.each(FAULTS)('%s is reported of a receipt, and nothing of it is printed', async (_, change, code) => {
  await changed(change, false);
  const state = stateFolder();
  journalWith(stateOf(state, till.options), thisMachine(), 10_000).close();
  await startPull(till.options, [], state);
  await until(() => till.server.heard.length === 1);
  expect([till.server.heard, till.times('a')]).toMatchObject([[{ id: 'a', success: false, code }], 0]);
});

it.each(FAULTS)('%s is no more when the node reads it next: the receipt is printed', async (_, change) => {
  await changed(change, false);
  const { outcome } = await printed(thisMachine(), async (asked) => {
    if (asked === 1) await changed({ cover: 'closed', paper: 'ok' }, true);
  });
  expect([outcome?.error, till.times('a')]).toEqual([undefined, 1]);
});

it('a receipt is refused for an open cover when the node has read it since the receipt came, and no sooner', async () => {
  await changed({ cover: 'open' }, false);
  let up = 0;
  const machine = { run: 'a start', upMs: () => up, isClockSet: () => true };
  const { outcome, asked } = await printed(machine, async (asked) => {
    up = [1000, 5900, 6000][asked - 1] ?? 0;
  });
  expect([outcome?.error, asked, till.times('a')]).toEqual(['cover_open', 3, 0]);
});
