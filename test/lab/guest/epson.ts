/** An Epson printer's own program on a gadget: answers DLE EOT and GS ( H, and writes down the rest. */
import { type GadgetPrinter, until } from './gadget.ts';

export const TM_T20III = {
  vendorId: '04b8',
  productId: '0e28',
  make: 'EPSON',
  model: 'TM-T20III',
  deviceId: 'MFG:EPSON;CMD:ESC/POS;MDL:TM-T20III;CLS:PRINTER;DES:EPSON TM-T20III;',
} as const;

/** Real-time status, followed by n, 1 to 4. What an Epson printer answers: cover open is bit 2 of n = 2. */
const DLE_EOT = '\x10\x04';
const READY = 0x12;
const COVER_OPEN = 0x16;
/** GS ( H, function 48: the process id is said back once everything before it is printed. */
const PROCESS_ID = '\x1d(H\x06\x0000';
const ID_LENGTH = 4;

export class EpsonPrinter {
  readonly gadget: GadgetPrinter;
  coverOpen = false;
  /** Everything since the last `newJob`, one character a byte. */
  #received = '';
  /** How far the process ids have been said back. */
  #echoed = 0;

  constructor(gadget: GadgetPrinter) {
    this.gadget = gadget;
    gadget.onBytes = (bytes) => {
      const text = bytes.toString('latin1');
      this.#received += text;
      for (const behind of text.split(DLE_EOT).slice(1)) {
        const answer = behind.startsWith('\x02') && this.coverOpen ? COVER_OPEN : READY;
        void gadget.answer(Uint8Array.of(answer));
      }
      this.#echo();
    };
    gadget.onPower = () => {
      this.#echoed = this.#received.length;
    };
  }

  newJob(): void {
    this.#received = '';
    this.#echoed = 0;
  }

  /** What came but for the questions. */
  get job(): string {
    const [head = '', ...behind] = this.#received.split(DLE_EOT);
    return head + behind.map((each) => each.slice(1)).join('');
  }

  jobOf(bytes: number): Promise<string> {
    return until(async () => (this.job.length >= bytes ? this.job : undefined), `a job of ${bytes} bytes`);
  }

  /** The last so many bytes of what came: a job, without what binding sent before it. */
  lastJob(bytes: unknown): string {
    return this.job.slice(-Number(bytes));
  }

  #echo(): void {
    for (;;) {
      const at = this.#received.indexOf(PROCESS_ID, this.#echoed);
      const from = at + PROCESS_ID.length;
      if (at < 0 || this.#received.length < from + ID_LENGTH) return;
      this.#echoed = from + ID_LENGTH;
      const id = this.#received.slice(from, this.#echoed);
      void this.gadget.answer(Buffer.from(`\x37\x22${id}\0`, 'latin1'));
    }
  }
}
