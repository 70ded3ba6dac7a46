/** A customer display on the virtual bus: two rows of cells behind a serial line. */
import { type UpstreamPort, VirtualAcmDevice } from 'tillnode/virtual';

const ROWS = 2;
const COLUMNS = 20;

/** Parameter bytes of each command, by what begins it. */
const LENGTHS: Readonly<Record<string, number>> = { '1b40': 0, '1b74': 1, '1f24': 2, '1f43': 1, '1f45': 1, '1f58': 1 };

export class VirtualPoleDisplay extends VirtualAcmDevice {
  override readonly actions = {
    'self-test': { argument: { name: 'character', default: '8' }, act: (shown: string) => this.#test(shown) },
  };
  override readonly words = {
    en: { 'self-test': 'Hold its self-test key', character: 'Character' },
    de: { 'self-test': 'Selbsttest-Taste halten', character: 'Zeichen' },
  };
  #rows: string[] = [];
  #cursor = { column: 0, row: 0 };
  #brightness = 4;
  #blinks = false;
  #latin = false;
  /** Bytes of a command whose end has not come. */
  #held: number[] = [];

  constructor() {
    super({ vendorId: 0x1209, productId: 0x0001, make: 'Example', model: 'Pole display 2x20' });
    this.#initialise();
  }

  /** What somebody in front of it sees. */
  get state() {
    return { lines: this.#rows, brightness: this.#brightness, blinks: this.#blinks };
  }

  /** Plugs it in; it comes up dark and empty. */
  override attach(port: UpstreamPort): void {
    this.#initialise();
    super.attach(port);
  }

  protected override receive(_pipe: number, bytes: Uint8Array): number {
    for (const byte of bytes) this.#take(byte);
    return bytes.length;
  }

  #take(byte: number): void {
    this.#held.push(byte);
    const [first = 0, second] = this.#held;
    if (first === 0x1b || first === 0x1f) {
      if (second === undefined) return;
      const command = `${first.toString(16)}${second.toString(16)}`;
      if (this.#held.length < 2 + (LENGTHS[command] ?? 0)) return;
      this.#obey(command, this.#held.slice(2));
    } else if (first === 0x0c) this.#clear();
    else if (first >= 0x20) this.#show(first);
    this.#held = [];
  }

  #obey(command: string, [first = 0, second = 0]: readonly number[]): void {
    if (command === '1b40') this.#initialise();
    else if (command === '1b74') this.#latin = first === 16;
    else if (command === '1f58') this.#brightness = first;
    else if (command === '1f45') this.#blinks = first > 0;
    else if (command === '1f24' && first >= 1 && first <= COLUMNS && second >= 1 && second <= ROWS)
      this.#cursor = { column: first - 1, row: second - 1 };
  }

  /** A row that is full goes on in the other (overwrite mode). */
  #show(byte: number): void {
    const { column, row } = this.#cursor;
    const cells = [...(this.#rows[row] ?? '')];
    cells[column] = this.#characterOf(byte);
    this.#rows[row] = cells.join('');
    this.#cursor = column + 1 < COLUMNS ? { column: column + 1, row } : { column: 0, row: (row + 1) % ROWS };
  }

  #characterOf(byte: number): string {
    if (byte < 0x7f || (this.#latin && byte >= 0xa0)) return String.fromCharCode(byte);
    return this.#latin && byte === 0x80 ? '€' : '�';
  }

  /** Until the next command it shows one character in all cells. */
  #test(shown: string): void {
    if ([...shown].length !== 1) throw new RangeError('one character is shown in all cells');
    this.#rows = this.#rows.map(() => shown.repeat(COLUMNS));
  }

  #clear(): void {
    this.#rows = Array.from({ length: ROWS }, () => ' '.repeat(COLUMNS));
    this.#cursor = { column: 0, row: 0 };
  }

  #initialise(): void {
    this.#clear();
    this.#brightness = 4;
    this.#blinks = false;
    this.#latin = false;
    this.#held = [];
  }
}

export const createVirtualDevice = (): VirtualPoleDisplay => new VirtualPoleDisplay();
