/**
 * One life of a box between two cuts of its power: a till prints numbered receipts with keys, one after the other, on a printer
 * of the kernel's. Every byte that the printer takes is reported as it comes: what was reported is on the paper.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { receipt } from '../../crash/keyed-receipt.ts';
import { call } from '../../image/launched.ts';
import { launchBox, mountDisk } from './box.ts';
import { EpsonPrinter, TM_T20III } from './epson.ts';
import { GadgetPrinter, until } from './gadget.ts';

export type KeyedReport =
  /** Bytes that the printer took, in base64. */
  | { readonly paper: string }
  /** The node is up, and has so many jobs in doubt. */
  | { readonly up: { readonly uncertain: number } }
  | { readonly asked: number }
  | { readonly answered: number; readonly what: 'printed' | 'in-doubt' }
  | { readonly trouble: string };

export interface KeyedLife {
  /** Number of the receipt to begin with; the life before may have begun it. */
  readonly first: number;
  /** Whether the paper of the lives before shows all of it: somebody looked. */
  readonly isWhole: boolean;
  readonly isNew: boolean;
  readonly report: (said: KeyedReport) => void;
}

/** Nothing came of it yet. */
const AGAIN = /^(key_in_use|busy|restarting|no_printer)$/;
/** A receipt takes some tenths of a second, so that a cut meets one that is half on the paper. */
const PACE = { chunkBytes: 64, chunkDelayMs: 5 };

interface Result {
  readonly ok: boolean;
  readonly error?: string;
  readonly detail?: string;
}

/** Prints until the power is cut; rejects where something is wrong before. */
export async function life({ first, isWhole, isNew, report }: KeyedLife): Promise<void> {
  mountDisk();
  const gadget = await GadgetPrinter.create({ ...TM_T20III, port: 1, serial: 'X7XX000002', lookMs: 2 });
  new EpsonPrinter(gadget);
  const { onBytes } = gadget;
  gadget.onBytes = (bytes) => {
    report({ paper: bytes.toString('base64') });
    onBytes?.(bytes);
  };
  const box = launchBox();
  const url = await box.ready(1);
  const status = () =>
    call<{ jobs: { uncertain: number }; printers: readonly { condition: string }[] }>(url, 'GET', '/status');
  report({ up: { uncertain: (await status()).jobs.uncertain } });
  if (isNew) await call(url, 'PUT', '/config', { usb: PACE });
  await gadget.plug();
  await until(
    async () => (await status()).printers.some(({ condition }) => condition === 'bound') || undefined,
    'bound',
  );

  const print = async (number: number): Promise<'printed' | 'in-doubt'> => {
    for (;;) {
      const response = await fetch(`${url}/print`, {
        method: 'POST',
        body: JSON.stringify(receipt(`power-${number}`)),
        headers: { 'Idempotency-Key': `power-${number}`, Connection: 'close' },
      });
      const { ok, error = '', detail } = (await response.json()) as Result;
      if (ok) return 'printed';
      if (error === 'write_failed') return 'in-doubt';
      if (!AGAIN.test(error)) throw new Error(`receipt ${number}: ${error} ${detail}`);
      await delay(20);
    }
  };
  /** Somebody says what the paper shows. */
  const settle = async () => {
    const { jobs } = await call<{ jobs: readonly { seq: number; outcome: string }[] }>(url, 'GET', '/jobs');
    const doubts = jobs.filter(({ outcome }) => outcome === 'uncertain');
    if (doubts.length !== 1) throw new Error(`one job is in doubt, and the list has ${JSON.stringify(jobs)}`);
    await call(url, 'POST', '/jobs/settle', { seq: doubts[0]!.seq, printed: isWhole });
  };
  for (let number = first; ; number += 1) {
    report({ asked: number });
    let what = await print(number);
    if (what === 'in-doubt') {
      report({ answered: number, what });
      await settle();
      what = await print(number);
    }
    // What left the node has come to the paper.
    await gadget.takeAll();
    report({ answered: number, what });
  }
}
