/**
 * One life of a box between two cuts of its power: a till prints numbered receipts with keys, one after the other, on a printer
 * of the kernel's; now and then the node is killed meanwhile, or the printer's plug is pulled. Every byte that the printer takes
 * is reported as it comes: what was reported is on the paper.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { call } from '../../image/launched.ts';
import { countsOn, receipt } from '../../keyed-receipt.ts';
import { randomFrom } from '../../random.ts';
import { launchBox, mountDisk } from './box.ts';
import { EpsonPrinter, TM_T20III } from './epson.ts';
import { GadgetPrinter, until } from './gadget.ts';

/** What strikes while a receipt is printed. */
export type Blow = 'kill' | 'pull';
/** What somebody sees of a receipt in doubt. */
export type Shown = 'none' | 'part' | 'whole';

export type KeyedReport =
  /** Bytes that the printer took, in base64. */
  | { readonly paper: string }
  /** The node is up, and has so many jobs in doubt. */
  | { readonly up: { readonly uncertain: number } }
  | { readonly asked: number; readonly blow?: Blow | undefined }
  | { readonly doubted: number; readonly shown: Shown; readonly detail?: string | undefined }
  | { readonly printed: number }
  /** The box has stood still, and the printer has printed what it was sent by then: its power may be cut now. */
  | { readonly stopped: { readonly behind: number } }
  | { readonly trouble: string };

export interface KeyedLife {
  /** Number of the receipt to begin with; the life before may have begun it. */
  readonly first: number;
  /** What is on the paper already. */
  readonly paper: Uint8Array;
  /** How often `first` was found half on the paper by then. */
  readonly parts: number;
  readonly isNew: boolean;
  readonly seed: number;
  readonly report: (said: KeyedReport) => void;
}

/** Nothing came of it yet. */
const AGAIN = /^(key_in_use|busy|restarting|no_printer)$/;
/** A receipt takes some tenths of a second, so that a blow meets one that is half on the paper. */
const PACE = { chunkBytes: 64, chunkDelayMs: 5 };
/** The power is cut in one of so many receipts. */
const RECEIPTS = 6;
/** Until it is known how long a receipt takes. */
const RECEIPT_MS = 300;
/** The launcher gives an image up that ends three times in a row. */
const KILLS = 2;
/** The host has ended by then what it had begun to send: the kernel looks every 4 ms. */
const FRAMES_MS = 20;
const LONGEST_PULL_MS = 200;

interface Result {
  readonly ok: boolean;
  readonly error?: string;
  readonly detail?: string;
  readonly bytes?: number;
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

/** Prints until the power is to be cut; rejects where something is wrong before. */
export async function life({ first, isNew, seed, report, ...before }: KeyedLife): Promise<void> {
  const random = randomFrom(seed);
  mountDisk();
  const gadget = await GadgetPrinter.create({ ...TM_T20III, port: 1, serial: 'X7XX000002', lookMs: 2 });
  new EpsonPrinter(gadget);
  const { onBytes } = gadget;
  const paper: Uint8Array[] = [before.paper];
  gadget.onBytes = (bytes) => {
    paper.push(bytes);
    report({ paper: bytes.toString('base64') });
    onBytes?.(bytes);
  };
  const box = launchBox();
  await box.ready(1);
  const url = () => box.last() ?? '';
  const status = () =>
    call<{ jobs: { uncertain: number }; printers: readonly { condition: string }[] }>(url(), 'GET', '/status');
  report({ up: { uncertain: (await status()).jobs.uncertain } });
  if (isNew) await call(url(), 'PUT', '/config', { usb: PACE });
  await gadget.plug();
  await until(
    async () => (await status()).printers.some(({ condition }) => condition === 'bound') || undefined,
    'bound',
  );

  /**
   * Nothing of the box moves from here on, and what its USB stack had taken by then is on the paper: a printer has a buffer and a
   * power of its own, and this one's buffer would die with the machine. Gives how many bytes were behind.
   */
  const stop = async (): Promise<number> => {
    const length = () => paper.reduce((sum, part) => sum + part.length, 0);
    for (const pid of [box.pid, ...childrenOf(box.pid)]) process.kill(pid, 'SIGSTOP');
    const seen = length();
    await delay(FRAMES_MS);
    await gadget.takeAll();
    return length() - seen;
  };
  let kills = 0;
  const blows = {
    async kill() {
      for (const pid of childrenOf(box.pid)) process.kill(pid, 'SIGKILL');
      await box.ready(1 + kills);
    },
    async pull() {
      await stop();
      await gadget.unplug();
      for (const pid of [box.pid, ...childrenOf(box.pid)]) process.kill(pid, 'SIGCONT');
      await delay(random() * LONGEST_PULL_MS);
      await gadget.plug();
    },
    async power() {
      report({ stopped: { behind: await stop() } });
    },
  };

  const ask = async (number: number): Promise<Result> => {
    const response = await fetch(`${url()}/print`, {
      method: 'POST',
      body: JSON.stringify(receipt(`power-${number}`)),
      headers: { 'Idempotency-Key': `power-${number}`, Connection: 'close' },
    });
    return (await response.json()) as Result;
  };
  const print = async (number: number): Promise<'printed' | { readonly detail: string | undefined }> => {
    for (;;) {
      // The node was killed: it is asked again when it is back.
      const { ok, error = '', detail, bytes } = await ask(number).catch(() => ({ ok: false, error: 'busy' }) as Result);
      if (ok) return 'printed';
      if (error === 'write_failed' && bytes !== 0) return { detail };
      if (error !== 'write_failed' && !AGAIN.test(error)) throw new Error(`receipt ${number}: ${error} ${detail}`);
      await delay(20);
    }
  };
  /** Somebody says what the paper shows. */
  const settle = async (printed: boolean) => {
    const { jobs } = await call<{ jobs: readonly { seq: number; outcome: string }[] }>(url(), 'GET', '/jobs');
    const doubts = jobs.filter(({ outcome }) => outcome === 'uncertain');
    if (doubts.length !== 1) throw new Error(`one job is in doubt, and the list has ${JSON.stringify(jobs)}`);
    await call(url(), 'POST', '/jobs/settle', { seq: doubts[0]!.seq, printed });
  };

  const victim = first + Math.floor(random() * RECEIPTS);
  let receiptMs = RECEIPT_MS;
  for (let number = first; ; number += 1) {
    const [chance, moment] = [random(), random()];
    let blow: keyof typeof blows | undefined;
    if (number === victim) blow = 'power';
    else if (number < victim && chance < 0.2 && kills < KILLS) blow = 'kill';
    else if (number < victim && chance < 0.5) blow = 'pull';
    if (blow === 'kill') kills += 1;
    report({ asked: number, blow: blow === 'power' ? undefined : blow });
    const askedAt = performance.now();
    const struck = blow && delay(moment * receiptMs).then(blows[blow]);
    let parts = number === first ? before.parts : 0;
    let isExcused = number === first || blow !== undefined;
    for (let what = await print(number); what !== 'printed'; what = await print(number)) {
      if (!isExcused) throw new Error(`receipt ${number} is in doubt, and nothing had struck it: ${what.detail}`);
      // The power may fall on each of them; the others strike once.
      isExcused = number === victim;
      if (blow !== 'power') await struck;
      await gadget.takeAll();
      const { begun, ended } = countsOn(Buffer.concat(paper))(`power-${number}`);
      const shown = ended > 0 ? 'whole' : begun > parts ? 'part' : 'none';
      if (shown === 'part') parts += 1;
      report({ doubted: number, shown, detail: what.detail });
      await settle(shown === 'whole');
    }
    if (blow === undefined) receiptMs = performance.now() - askedAt;
    if (blow !== 'power') await struck;
    // What left the node has come to the paper.
    await gadget.takeAll();
    report({ printed: number });
  }
}
