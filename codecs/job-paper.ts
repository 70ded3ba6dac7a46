/** The paper that a job moves, and the white that its symbols keep above and below them (quiet-zone.ts). */
import commands from 'node-thermal-printer/lib/types/epson-config.js';
import { LEAST_LINE_DOTS, LINE_DOTS } from './escpos-line.ts';
import { JobBytes } from './job-bytes.ts';
import { CLEAR } from './quiet-zone.ts';

const ESC = 0x1b;
const GS = 0x1d;

/** The bytes of a job as they move the paper. */
export class JobPaper extends JobBytes {
  /** Length of paper that the job moves, in dots. */
  paperDots = 0;
  /** White rows since the last ink, and how many there have to be before the next. */
  protected white = CLEAR;
  protected wanted = 0;
  /** The row that is written has ink. */
  protected inked = false;

  feed(lines: number): void {
    // A count of 1B or 1D is written as two feeds: with the byte after it, it could be read as ESC p or GS ^, which the
    // outlet removes.
    const first = lines === ESC || lines === GS ? lines - 1 : lines;
    if (first > 0) this.write(ESC, 0x64, first);
    if (first < lines) this.write(ESC, 0x64, lines - first);
    this.paperDots += lines * LINE_DOTS;
    this.white += lines * LEAST_LINE_DOTS;
  }

  /** `clearanceLines`: lines to feed before the cut. With 0 the printer feeds to its cutter itself (GS V 65 or 66). */
  cut(mode: 'full' | 'partial', clearanceLines: number): void {
    if (clearanceLines === 0) this.write(GS, 0x56, mode === 'full' ? 0x41 : 0x42, 0);
    else {
      this.feed(clearanceLines);
      this.append(mode === 'full' ? commands.PAPER_FULL_CUT : commands.PAPER_PART_CUT);
    }
    this.hasInk(CLEAR);
  }

  /** Keeps what the next job prints from a symbol at the end of this one. */
  end(): void {
    this.keepClear();
  }

  /** What is printed next has so many white rows above it, also those that were printed already. */
  keep(rows: number): void {
    this.wanted = Math.max(this.wanted, rows);
  }

  /** What is written next is ink in an empty row. */
  protected beginInk(): void {
    this.keepClear();
    this.inked = true;
  }

  /**
   * Adds the white that is lacking above what comes now, of which `own` rows are white. It is a picture without ink, because a
   * dot is what ESC J moves by on some printers, and half a dot on others.
   */
  protected keepClear(own = 0): void {
    const rows = this.wanted - this.white - own;
    if (rows <= 0) return;
    this.append(commands.S_RASTER_N);
    this.write(1, 0, rows, 0);
    this.fill(0, rows);
    this.paperDots += rows;
    this.white += rows;
  }

  /** The last ink has so many white rows below it, and wants no more. */
  protected hasInk(white: number): void {
    this.white = white;
    this.wanted = 0;
  }
}
