/**
 * Draws a job of this node's encoder on paper. It knows only the commands that the encoder writes: the interpreter of the
 * virtual printer, which knows all, would be a tenth of the size of the page.
 */
import { characterOf, MAKES } from '../../../codecs/code-pages.ts';
import { u16 } from '../virtual/commands/command.ts';
import { columnsToRows } from '../virtual/commands/image.ts';
import { symbolFunction } from '../virtual/commands/symbol.ts';
import { initialModes, type Modes } from '../virtual/modes.ts';
import { Paper } from '../virtual/paper/paper.ts';
import type { LinearSymbology } from '../virtual/symbols/barcode.ts';

const ESC = 0x1b;
const GS = 0x1d;
const ALIGN = ['left', 'center', 'right'] as const;
const HRI = ['none', 'above', 'below', 'both'] as const;
/** By m of GS k, from 65. */
const LINEAR = 'upca upce ean13 ean8 code39 itf codabar code93 code128'.split(' ') as LinearSymbology[];

const glyph = (byte: number, n: number): string =>
  characterOf(MAKES.epson.find((page) => page.n === n)?.page ?? 'cp437', byte);

/** The paper of a job for an Epson printer; `dots` and `columns` are its width in dots and characters. */
export function paperOf(job: Uint8Array, dots: number, columns: number): Paper {
  const paper = new Paper({ glyph, dots, columns });
  let modes = initialModes();
  for (let at = 0; at < job.length; ) {
    if (job[at] === ESC || job[at] === GS) {
      const command = job.subarray(at);
      if (command[1] === 0x40) modes = initialModes();
      at += command[0] === ESC ? escCommand(command, modes, paper) : gsCommand(command, modes, paper);
    } else {
      let end = at;
      while (end < job.length && job[end] !== ESC && job[end] !== GS) end += 1;
      paper.text(job, at, end, modes);
      at = end;
    }
  }
  paper.finish();
  return paper;
}

/** Obeys the command that begins with ESC; returns how long it is. */
function escCommand(command: Uint8Array, modes: Modes, paper: Paper): number {
  const n = command[2] ?? 0;
  switch (String.fromCharCode(command[1] ?? 0)) {
    case '@':
      return 2;
    case 't':
      modes.codePage = n;
      break;
    case 'a':
      modes.align = ALIGN[n] ?? 'left';
      break;
    case 'M':
      modes.font = n === 0 ? 'a' : 'b';
      break;
    case 'E':
      modes.bold = n === 1;
      break;
    case '-':
      modes.underline = n === 1;
      break;
    case 'd':
      paper.feed(n * modes.lineSpacing, n);
      break;
    case '*': {
      const width = u16(command, 3);
      const end = 5 + 3 * width;
      const rows = columnsToRows(command.subarray(5, end), width, 24);
      paper.image({ width, height: 24, scaleX: 1, scaleY: 1, rows });
      return end;
    }
  }
  return 3;
}

/** Obeys the command that begins with GS; returns how long it is. */
function gsCommand(command: Uint8Array, modes: Modes, paper: Paper): number {
  const n = command[2] ?? 0;
  switch (String.fromCharCode(command[1] ?? 0)) {
    case 'B':
      modes.invert = n === 1;
      break;
    case '!':
      modes.width = (n >> 4) + 1;
      modes.height = (n & 7) + 1;
      break;
    case 'h':
      modes.barcodeHeight = n;
      break;
    case 'w':
      modes.moduleWidth = n;
      break;
    case 'H':
      modes.hri = HRI[n] ?? 'none';
      break;
    case 'V':
      paper.cut(n % 2 === (n < 0x41 ? 1 : 0));
      return n < 0x41 ? 3 : 4;
    case 'k': {
      const end = 4 + (command[3] ?? 0);
      const symbology = LINEAR[n - 65];
      if (symbology) paper.barcode(symbology, command.subarray(4, end), modes);
      return end;
    }
    case 'v': {
      const end = 8 + u16(command, 4) * u16(command, 6);
      paper.raster({ rowBytes: u16(command, 4), scaleX: 1, scaleY: 1 }, 0, command.subarray(8, end), modes);
      return end;
    }
    case '(': {
      const end = 5 + u16(command, 3);
      symbolFunction(command.slice(5, end), modes, paper);
      return end;
    }
  }
  return 3;
}
