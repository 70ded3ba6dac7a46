/**
 * Sequences of one to four jobs at one printer, without a socket: the jobs of port 9100 as its connections make them, and what
 * the node sends between them. Made of a seed, so that a million of them take minutes.
 */
import { REALTIME_PULSE_DISABLE, RECOVERY, STATUS_POLL } from '../../codecs/escpos.ts';
import { noMacros } from '../../codecs/escpos-macro.ts';
import { Job } from '../../plugins/printer/jobs/job.ts';
import { Outlet } from '../../plugins/printer/jobs/outlet.ts';
import { WriteFailed } from '../../plugins/printer/jobs/write-failed.ts';
import { type UsbDevice, UsbError, type UsbPipe } from '../../runtime/bindings/usb.ts';
import { hex } from './bytes.ts';
import { kickTimes, type Opening, Witness } from './witness.ts';

/** What a job is made of: what opens a drawer in pieces, real-time commands whole and cut, what else is recognised, and headers. */
const WORDS = [
  ...[
    '1b',
    '1b',
    '1b',
    '70',
    '70',
    '700019fa',
    '1b70',
    '1b700019fa',
    '10',
    '10',
    '10',
    '1014',
    '1014',
    '14',
    '01',
    '02',
    '08',
  ],
  ...[
    '14010001',
    '010001',
    '1014010001',
    '1014020108',
    '10140801031401060208',
    '101403',
    '1014030102030405',
    '1014030001',
    '101407',
  ],
  ...[
    '10140701',
    '101408',
    '1014080103',
    '1004',
    '100401',
    '100407',
    '10040701',
    '100412',
    '1005',
    '100502',
    '100500',
    '04',
    '05',
  ],
  ...[
    '1d3a',
    '1d3a',
    '1b40',
    '1b3d00',
    '1b3d01',
    '1b3d',
    '1d5e010000',
    '1d5e',
    '0c',
    '18',
    '1b4c',
    '1b53',
    '1d05',
    '1d0401',
    '1d',
  ],
  ...[
    '41',
    '410a',
    '0a',
    '00',
    '000000',
    '81',
    'e282',
    'f041',
    '03',
    '07',
    'ff',
    '0203',
    '1b21',
    '1d21',
    '1b2d',
    '1c',
    '1b99',
  ],
  ...[
    '1d763000010001',
    '1d7630000400010000',
    '1d7630000800010000',
    '1d284b0400',
    '1d286b0600',
    '1d384c06000000',
    '1b2a000400',
  ],
  ...[
    '1b2a210200',
    '1b44',
    '1d6b04',
    '1d6b4906',
    '1b2603414102',
    '1c71010100010000',
    '1b5a0503030200',
    '1d2844030014',
    '1d5600',
  ],
  ...[
    '1f',
    '1f1b',
    '1f1b1f',
    '1f1b1ffc01020333',
    '1bfc',
    '1ffc01020333',
    'fc01020333',
    '1f1b1f91004950',
    '1b232353544450',
    '1df93500',
    '1df9',
    'f93500',
    '2000',
    '3500',
  ],
].map(hex);
/** Raw bytes of the API: a pulse of its own, and what is left open behind it. */
const RAW = ['1b700055aa', '41', '1d3a', '1b', '10', '1014', '1b21', '1d76300005000100', '81', '1d384cff000000'].map(
  hex,
);

type Between = 'nothing' | 'kick' | 'print' | 'raw' | 'poll' | 'replug' | 'power cycle';
export interface Step {
  readonly before: Between;
  readonly raw: Uint8Array;
  /** What one connection sends, in these segments; a kick or a status request may come behind each. */
  readonly segments: ReadonlyArray<{
    readonly bytes: Uint8Array;
    readonly next: 'nothing' | 'kick' | 'poll' | 'yield';
  }>;
  readonly ending: 'in order' | 'aborted';
  /** Index of the transfer of this job that the printer takes half of; none where it is undefined. */
  readonly fails: number | undefined;
}

/** Random numbers of a seed (Mulberry32): whole ones, from 0 to below n. */
export const dice = (seed: number) => {
  let state = seed >>> 0;
  return (n: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % n;
  };
};
type Dice = ReturnType<typeof dice>;

const BETWEEN: readonly Between[] = ['kick', 'kick', 'print', 'raw', 'poll', 'poll', 'replug', 'power cycle'];

const stepOf = (die: Dice): Step => {
  const whole = Buffer.concat(Array.from({ length: 1 + die(9) }, () => WORDS[die(WORDS.length)]!));
  const cuts = Array.from({ length: die(4) }, () => die(whole.length)).sort((a, b) => a - b);
  return {
    before: die(2) === 0 ? 'nothing' : BETWEEN[die(BETWEEN.length)]!,
    raw: RAW[die(RAW.length)]!,
    segments: [0, ...cuts].map((from, index) => ({
      bytes: whole.subarray(from, cuts[index]),
      next: (['nothing', 'nothing', 'nothing', 'kick', 'poll', 'yield'] as const)[die(6)]!,
    })),
    ending: die(6) === 0 ? 'aborted' : 'in order',
    fails: die(12) === 0 ? die(4) : undefined,
  };
};

export const sequenceOf = (die: Dice): Step[] => Array.from({ length: 1 + die(4) }, () => stepOf(die));

export const show = (steps: readonly Step[]): string =>
  steps
    .map(({ before, raw, segments, ending, fails }) => {
      const parts = segments.map(
        ({ bytes, next }) => `${Buffer.from(bytes).toString('hex')}${next === 'nothing' ? '' : ` <${next}>`}`,
      );
      const what = before === 'raw' ? `raw ${Buffer.from(raw).toString('hex')}` : before;
      return `  ${what}, job ${parts.join(' | ')} (${ending}${fails === undefined ? '' : `, transfer ${fails} fails`})`;
    })
    .join('\n');

const PIPE: UsbPipe = { address: 1, direction: 'out', type: 'bulk', maxPacketSize: 64 };
const NEVER = () => Promise.reject(new UsbError('stall'));
const PACE = { chunkBytes: 4096, chunkDelayMs: 0, writeTimeoutMs: 1000 };

/** One printer, its models, and the outlet that writes to it. */
export class Till {
  readonly #witness: Witness;
  readonly #options: { readonly realtimePulseDisable: boolean; readonly pulseOnBel: boolean };
  readonly #macros = noMacros();
  #outlet: Outlet;
  #kicks = 0;
  /** Kicks that were asked for while a job had the printer. */
  readonly #meanwhile: Array<Promise<void>> = [];
  /** Transfers to come until one fails. */
  #failsIn = Number.POSITIVE_INFINITY;

  constructor(options: { readonly realtimePulseDisable: boolean; readonly pulseOnBel: boolean }) {
    this.#options = options;
    this.#witness = new Witness(options.pulseOnBel);
    this.#outlet = this.#bind();
  }

  /** What a drawer did that nobody but the API may have done. */
  async run(steps: readonly Step[]): Promise<Opening[]> {
    for (const step of steps) await this.#run(step);
    await Promise.all(this.#meanwhile.splice(0));
    return this.#witness.opened();
  }

  #bind(): Outlet {
    const device: UsbDevice = {
      identity: {
        vendorId: '0fee',
        productId: '0001',
        make: '',
        model: '',
        port: '1',
        class: 0,
        interfaces: [],
        selfPowered: true,
      },
      open: NEVER,
      claim: NEVER,
      controlIn: NEVER,
      controlOut: NEVER,
      transferIn: NEVER,
      close: NEVER,
      transferOut: async (_, bytes) => {
        // Of a pulse of the API, half would still be one of its own.
        if (bytes[0] !== 0x1b || bytes[1] !== 0x70) this.#failsIn -= 1;
        const taken = this.#failsIn < 0 ? bytes.length >> 1 : bytes.length;
        this.#witness.take(bytes.subarray(0, taken));
        if (this.#failsIn >= 0) return;
        this.#failsIn = Number.POSITIVE_INFINITY;
        throw new UsbError('timeout', taken);
      },
    };
    const bytes = this.#options.realtimePulseDisable ? Buffer.concat([RECOVERY, REALTIME_PULSE_DISABLE]) : RECOVERY;
    return new Outlet(device, PIPE, () => PACE, { bytes, reset: undefined }, this.#macros);
  }

  async #run({ before, raw, segments, ending, fails }: Step): Promise<void> {
    await this.#between(before, raw);
    const client = { status: () => this.#poll(), dropped: () => {}, idleMs: 60_000, giveWay: () => {} };
    const job = new Job(this.#outlet, 'port9100', 'a', { options: this.#options, client });
    this.#failsIn = fails ?? Number.POSITIVE_INFINITY;
    try {
      for (const { bytes, next } of segments) {
        if (!job.hasTurn) await job.begin();
        // The node may change them in place.
        await job.write(Uint8Array.from(bytes));
        if (next === 'kick') this.#meanwhile.push(this.#kick());
        if (next === 'poll') this.#poll();
        if (next === 'yield' && job.mayYield) await job.yield();
      }
      await job.end(ending === 'in order');
    } catch (error) {
      if (!(error instanceof WriteFailed)) throw error;
      job.abandon();
    }
    this.#failsIn = Number.POSITIVE_INFINITY;
  }

  async #between(what: Between, raw: Uint8Array): Promise<void> {
    switch (what) {
      case 'kick':
        return this.#kick();
      case 'poll':
        return this.#poll();
      case 'print':
        return this.#api('print', hex('1b40 410a'));
      case 'raw':
        this.#witness.authorise(raw);
        return this.#api('raw', Uint8Array.from(raw));
      case 'replug':
      case 'power cycle':
        this.#outlet.close();
        if (what === 'power cycle') this.#witness.powerCycle();
        this.#outlet = this.#bind();
    }
  }

  async #api(kind: 'print' | 'raw', bytes: Uint8Array): Promise<void> {
    const job = new Job(this.#outlet, kind, 'b');
    await job.begin();
    await job.write(bytes);
    await job.end();
  }

  async #kick(): Promise<void> {
    const pulse = Uint8Array.of(0x1b, 0x70, 0, ...kickTimes(this.#kicks));
    this.#kicks += 1;
    this.#witness.authorise(pulse);
    await this.#outlet.kick(pulse, 50).catch(refused);
  }

  /** Sends a status request now, or when the command ends that is under way: nothing here waits for it. Only one can wait. */
  #poll(): void {
    void this.#outlet.poll(STATUS_POLL, () => {}).catch(refused);
  }
}

const refused = (error: unknown): void => {
  if (!(error instanceof WriteFailed)) throw error;
};
