/** Sends one IPP job to its printer, through a job of the printer room, as a print command is sent. */
import { type EscposOptions, REALTIME_PULSE_DISABLE } from '../../codecs/escpos.ts';
import { EscposEncoder } from '../../codecs/escpos-encoder.ts';
import { fontADots } from '../../codecs/escpos-line.ts';
import { stretchesOf } from '../../codecs/escpos-stretches.ts';
import type { Dither } from '../../codecs/picture.ts';
import type { Bitmap } from '../../codecs/raster.ts';
import type { Node } from '../../runtime/kernel/node.ts';
import { bandsOf, type Head } from './document.ts';
import type { IppJob } from './job.ts';

/** Longest pause, in ms, in a document that still arrives while the printer is held for it. */
const STALL_MS = 15_000;
/** Most bytes of one band and its commands. */
const BAND_BYTES = 256 * 1024;
const BEGINNING_BYTES = 256;
/** Bytes of a text between two places where it ends if it is canceled: some 20 lines. */
const TEXT_BYTES = 512;
/** Heads with so many dots have 180 of them an inch (Epson TM-T88III: 512 dots in 72.2 mm); all others 203. */
const DOTS_OF_180_DPI = new Set([360, 512]);

/** The head of a printer, or the part of it that the settings have for receipts. */
export function headOf({ config }: Pick<Node, 'config'>, options: EscposOptions): Head {
  const columns = config.get('printWidthCols');
  const dots = columns < options.columns ? Math.min(options.dots, columns * fontADots(options)) : options.dots;
  return { dots, dpi: DOTS_OF_180_DPI.has(options.dots) ? 180 : 203, bandRows: options.rasterRows };
}

/** What takes the bytes: a `Job` of the printer room that has its turn. */
interface Sink {
  write(bytes: Uint8Array): Promise<void>;
}

/** A job on its way to a printer. */
export class Printing {
  /** Pages, of all copies, and rows of dots that were sent. */
  readonly sent = { pages: 0, rows: 0 };
  readonly #job: IppJob;
  readonly #options: EscposOptions;
  readonly #head: Head;
  readonly #clearance: number;
  readonly #sink: Sink;
  #cuts = 0;
  /** Bytes at the beginning of a job that print nothing. */
  silentBytes = 0;
  /** Something was sent since the last cut. */
  #uncut = false;

  constructor(node: Pick<Node, 'config'>, job: IppJob, options: EscposOptions, sink: Sink) {
    this.#job = job;
    this.#options = options;
    this.#head = headOf(node, options);
    this.#clearance = node.config.get('cutClearanceLines');
    this.#sink = sink;
  }

  get cuts(): number {
    return this.#cuts;
  }

  /**
   * Prints all of it, or up to a boundary behind which the job has ended. Rejects with a RasterError where the document is
   * damaged, as `Spool.read`, and as the sink does.
   */
  async run(): Promise<void> {
    const { content, parts } = this.#job;
    const { copies } = parts.wishes;
    const beginning = this.#encoded((encoder) => {
      encoder.initHardware();
      // ESC @ may have enabled DLE DC4 1 again, and a page may contain these bytes by chance.
      if (this.#options.realtimePulseDisable) encoder.append(REALTIME_PULSE_DISABLE);
    });
    // Before they are sent: a printer that is unplugged meanwhile has printed nothing.
    this.silentBytes = beginning.length;
    await this.#sink.write(beginning);
    for (let copy = 0; copy < copies && !this.#job.ended; copy += 1) {
      if (content?.as === 'bytes') await this.#bytes(content.bytes);
      else if (content?.as === 'picture') await this.#picture(content.bitmap);
      else if (content?.as === 'pages')
        await this.#pages(content.kind, ditherOf(parts.wishes.optimize, content.hasShades));
      await this.cut();
    }
  }

  /** Cuts off what was printed, if anything was. */
  async cut(): Promise<void> {
    if (!this.#uncut) return;
    this.#uncut = false;
    this.#cuts += 1;
    await this.#send((encoder) => {
      if (this.#options.cutter) encoder.cut('partial', this.#clearance);
      else encoder.feed(this.#clearance);
    });
  }

  async #pages(kind: Parameters<typeof bandsOf>[1], dither: Dither): Promise<void> {
    const { wishes } = this.#job.parts;
    const pieces = this.#job.spool?.read(STALL_MS);
    if (pieces === undefined) return;
    const bands = bandsOf(pieces, kind, { pages: wishes.pages, dither }, this.#head);
    for await (const band of bands) {
      if (this.#job.ended) return;
      if (band !== 'page') await this.#band(band);
      else {
        this.#page();
        if (wishes.cut === 'page') await this.cut();
      }
    }
  }

  async #picture({ width, height, data }: Bitmap): Promise<void> {
    const { bandRows } = this.#head;
    const rowBytes = Math.ceil(width / 8);
    for (let row = 0; row < height && !this.#job.ended; row += bandRows) {
      const rows = Math.min(bandRows, height - row);
      await this.#band({ width, height: rows, data: data.subarray(row * rowBytes, (row + rows) * rowBytes) });
    }
    this.#page();
  }

  async #bytes(bytes: Uint8Array): Promise<void> {
    // Bytes that could open a drawer are changed in place as they leave.
    for (const stretch of stretchesOf(bytes.slice(), TEXT_BYTES)) {
      if (this.#job.ended) return;
      await this.#sink.write(stretch);
      this.#uncut = true;
    }
    this.#page();
  }

  async #band(band: Bitmap): Promise<void> {
    await this.#send((encoder) => encoder.raster(band, this.#head.bandRows));
    this.#uncut = true;
    this.sent.rows += band.height;
  }

  #page(): void {
    this.sent.pages += 1;
    this.#job.impressions = this.sent.pages;
  }

  async #send(write: (encoder: EscposEncoder) => void): Promise<void> {
    await this.#sink.write(this.#encoded(write));
  }

  #encoded(write: (encoder: EscposEncoder) => void): Uint8Array {
    const { codePages: make, twoByte, dots } = this.#options;
    const line = { make, twoByte, fontADots: fontADots(this.#options), dots };
    const encoder = new EscposEncoder(line, BAND_BYTES, BEGINNING_BYTES);
    write(encoder);
    return encoder.getBuffer();
  }
}

/** print-content-optimize (PWG 5100.7). `auto` goes by what was measured; a document that is too long to be measured counts as pictures. */
const ditherOf = (optimize: string, hasShades: boolean): Dither => {
  if (optimize === 'text' || optimize === 'text-and-graphic') return 'threshold';
  return optimize === 'auto' && !hasShades ? 'threshold' : 'diffusion';
};
