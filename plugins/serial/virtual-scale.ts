/** A scale on a serial line, behind an adapter with CDC-ACM, on the virtual bus. */
import { defined } from '../../runtime/base/defined.ts';
import { VirtualAcmDevice } from '../../runtime/bindings/virtual/acm-device.ts';
import { atAnotherSpeed, TALKS, withParity } from './virtual-talk.ts';
import { words } from './words/virtual/index.ts';

/** What may be wrong with a line. */
export const LINE_FAULTS = ['none', 'silence', 'parity', 'speed', 'noise', 'twice', 'cut'] as const;
export type LineFault = (typeof LINE_FAULTS)[number];

export interface VirtualSerialScaleOptions {
  readonly protocol?: string;
  readonly serial?: string;
  /** Milliseconds between two lines of a scale that sends by itself; default 100. */
  readonly everyMs?: number;
}

const MOST_GRAMS = 15_000;
const NOISE = 'x\x7f!\x15';

/** The scale. Its buttons put something on it, let it move, choose its protocol, and spoil its line. */
export class VirtualSerialScale extends VirtualAcmDevice {
  override readonly actions = {
    load: {
      argument: { name: 'grams', default: 250 },
      act: (grams?: unknown) => this.set({ grams: Number(grams) }),
    },
    move: { argument: { name: 'moves', default: true }, act: (moves?: unknown) => this.set({ moves: moves === true }) },
    speak: {
      argument: { name: 'protocol', default: 'toledo-8217' },
      act: (protocol?: unknown) => this.set({ protocol: oneOf(Object.keys(TALKS), protocol) }),
    },
    spoil: {
      argument: { name: 'line', default: 'none' },
      act: (line?: unknown) => this.set({ line: oneOf(LINE_FAULTS, line) as LineFault }),
    },
  };
  override readonly words = words;
  readonly #everyMs: number;
  #state: { grams: number; moves: boolean; protocol: string; line: LineFault };
  #timer: NodeJS.Timeout | undefined;

  constructor({ protocol = 'toledo-8217', serial, everyMs = 100 }: VirtualSerialScaleOptions = {}) {
    const names = { make: 'QinHeng Electronics', model: 'USB Single Serial' };
    super({ vendorId: 0x1a86, productId: 0x55d4, ...names, ...defined({ serial }) });
    this.#everyMs = everyMs;
    this.#state = { grams: 0, moves: false, protocol, line: 'none' };
  }

  get state() {
    return this.#state;
  }

  /** Changes what is on it, how it talks, and its line. */
  set(change: Partial<VirtualSerialScale['state']>): void {
    this.#state = { ...this.#state, ...change };
  }

  override detach(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    super.detach();
  }

  protected override hostCame(): void {
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      if (this.#state.protocol === 'scale-stream') this.#say('');
    }, this.#everyMs).unref();
  }

  protected override receive(_pipe: number, bytes: Uint8Array): number {
    if (this.#state.protocol !== 'scale-stream') this.#say(Buffer.from(bytes).toString('latin1'));
    return bytes.length;
  }

  #say(sent: string): void {
    const { line, protocol, grams, moves } = this.#state;
    const talk = TALKS[protocol];
    const said = talk?.answer(sent, { grams, moves, most: MOST_GRAMS }) ?? '';
    if (said === '' || line === 'silence') return;
    if (line === 'parity') this.write(withParity(said));
    else if (line === 'speed') this.write(atAnotherSpeed(said));
    else if (line === 'cut') this.write(said.slice(0, Math.ceil(said.length / 2)));
    else this.write(Buffer.from(`${line === 'noise' ? NOISE : ''}${said}${line === 'twice' ? said : ''}`, 'latin1'));
  }
}

function oneOf(values: readonly string[], value: unknown): string {
  const found = values.find((each) => each === value);
  if (found === undefined) throw new RangeError(`one of ${values.join(', ')}`);
  return found;
}

/** The serial scale of the twin: what is said of it by its serial number stays, whatever port it is plugged into. */
export const createVirtualDevice = (): VirtualSerialScale => new VirtualSerialScale({ serial: '5573012345' });
