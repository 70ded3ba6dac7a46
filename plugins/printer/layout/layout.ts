/** Renders the lines of a print command to ESC/POS: wrapping, columns, banner, clearance. Nothing is sent before it ends. */

import { type EscposOptions, REALTIME_PULSE_DISABLE } from '../../../codecs/escpos.ts';
import { type DrawnText, EscposEncoder } from '../../../codecs/escpos-encoder.ts';
import { fontADots } from '../../../codecs/escpos-line.ts';
import { JobTooLarge } from '../../../codecs/job-bytes.ts';
import { finished, type Stepwise } from '../../../runtime/base/steps.ts';
import type { Line } from '../contract/lines.ts';
import { banner, raster } from './graphics.ts';
import { printAreaOf } from './print-area.ts';
import { NeedsShaping, type Shaping } from './shaping.ts';
import { barcode } from './symbols.ts';
import { columns, rule, text } from './text.ts';

export interface LayoutSettings {
  /** Characters of Font A in a line. */
  readonly columns: number;
  readonly cutClearanceLines: number;
}

export type Rendered =
  | {
      readonly ok: true;
      readonly bytes: Uint8Array;
      /** Length of paper that it takes, in dots. */
      readonly paperDots: number;
      /** Characters printed as a question mark. */
      readonly substituted: number;
      /** What was drawn from text. */
      readonly drawn: readonly DrawnText[];
    }
  | { readonly ok: false; readonly error: 'render_too_large' | 'invalid_command'; readonly detail: string }
  /** Only without `shaping`: the job has to be rendered with it. */
  | { readonly ok: false; readonly error: 'needs_shaping'; readonly detail: string };

/** Most bytes of one job. */
export const RENDER_LIMIT = 262_144;
/** Most paper of one job, in metres. A print head has 8 dots a millimetre. */
export const PAPER_METRES = 20;
const PAPER_DOTS = PAPER_METRES * 8000;
/** Bytes that a job allocates at first, in all and for each line: enough for most jobs. */
const HEAD_BYTES = 1024;
const LINE_BYTES = 64;

/**
 * Gives the bytes of a job, or the error: it exceeds `limitBytes` or the paper of one job, has no lines, or has a line that
 * cannot be printed (`detail` begins with the path of that line). `shaping`: made for this job; lays out what is more than
 * one UTF-16 unit a column.
 */
export function render(
  lines: readonly Line[],
  settings: LayoutSettings,
  options: EscposOptions,
  shaping?: Shaping,
  limitBytes = RENDER_LIMIT,
): Rendered {
  return finished(rendering(lines, settings, options, shaping, limitBytes));
}

/** Renders a job a line at a step, so that others can be drawn between; gives what `render` does. */
export function* rendering(
  lines: readonly Line[],
  settings: LayoutSettings,
  options: EscposOptions,
  shaping?: Shaping,
  limitBytes = RENDER_LIMIT,
): Stepwise<Rendered> {
  if (lines.length === 0) return { ok: false, error: 'invalid_command', detail: 'lines: there is none' };
  const expected = HEAD_BYTES + LINE_BYTES * lines.length;
  const area = printAreaOf(settings, options);
  const narrower = area !== options;
  const { codePages: make, twoByte, dots, printArea, textOnly } = area;
  const line = { make, twoByte, fontADots: fontADots(area), dots, placed: narrower && !printArea, textOnly };
  const encoder = new EscposEncoder(line, limitBytes, expected);
  try {
    encoder.initHardware();
    // ESC @ may have enabled DLE DC4 1 again, and a picture may contain these bytes by chance.
    if (options.realtimePulseDisable) encoder.append(REALTIME_PULSE_DISABLE);
    if (narrower && printArea) encoder.printArea(dots);
    for (let index = 0; index < lines.length; index += 1) {
      const fault = renderLine(encoder, lines[index]!, settings, area, shaping);
      if (fault !== undefined) return { ok: false, error: 'invalid_command', detail: `lines/${index}: ${fault}` };
      if (encoder.paperDots > PAPER_DOTS) return tooLarge(`${PAPER_METRES} m of paper`);
      yield;
    }
    encoder.end();
    // What comes next through port 9100 may not begin with ESC @.
    if (narrower && printArea) encoder.printArea(options.dots);
  } catch (error) {
    if (error instanceof NeedsShaping) return NEEDS_SHAPING;
    if (!(error instanceof JobTooLarge)) throw error;
    return tooLarge(`${limitBytes} bytes`);
  }
  const { paperDots, substituted, drawn } = encoder;
  return { ok: true, bytes: encoder.getBuffer(), paperDots, substituted, drawn };
}

const NEEDS_SHAPING: Rendered = { ok: false, error: 'needs_shaping', detail: 'the text has to be shaped' };

const tooLarge = (limit: string): Rendered => ({
  ok: false,
  error: 'render_too_large',
  detail: `the job is larger than ${limit}`,
});

/** Writes one line. Gives the reason where it cannot be printed, undefined where it was written. */
function renderLine(
  encoder: EscposEncoder,
  line: Line,
  settings: LayoutSettings,
  options: EscposOptions,
  shaping: Shaping | undefined,
): string | undefined {
  if (options.textOnly && !isText(line)) return 'this printer prints text alone, in one size';
  switch (line.type) {
    case 'text':
      return text(encoder, line, settings.columns, options, shaping);
    case 'columns':
      return columns(encoder, line, settings.columns, options, shaping);
    case 'banner':
      banner(encoder, line, options, shaping);
      return undefined;
    case 'rule':
      rule(encoder, line, settings.columns);
      return undefined;
    case 'feed':
      encoder.feed(line.lines ?? 1);
      return undefined;
    case 'cut':
      if (options.cutter) encoder.cut(line.mode ?? 'partial', settings.cutClearanceLines);
      else encoder.feed(settings.cutClearanceLines);
      return undefined;
    case 'barcode':
      return barcode(encoder, line, options, shaping);
    case 'raster':
      return raster(encoder, line, options);
  }
}

/** True of a line that has neither a picture nor a style by GS: ESC - underlines, ESC E makes bold, ESC M is Font B. */
function isText(line: Line): boolean {
  if (line.type === 'text') return line.invert !== true && (line.size === undefined || /^1x1?$/.test(line.size));
  return line.type !== 'banner' && line.type !== 'barcode' && line.type !== 'raster';
}
