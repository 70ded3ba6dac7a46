/** Finds out what a document is by its first bytes, and prepares what is printed of it. */
import { rasterKind } from '../../codecs/page-raster.ts';
import { prefaceOf } from '../../codecs/raw-preface.ts';
import type { Node } from '../../runtime/kernel/node.ts';
import { type Head, isTooLong, measure, PAPER_METRES } from './document.ts';
import type { IppContent, IppJob } from './job.ts';
import { headOf } from './printing.ts';
import { IppRefusal, noPrinter, STATUS } from './refusal.ts';

/** The format of a document of which the client leaves it to the printer to find out what it is. */
export const OCTETS = 'application/octet-stream';
/** Formats that are printed, the preferred one first. */
export const FORMATS: readonly string[] = ['image/urf', 'image/pwg-raster', 'image/jpeg', 'text/plain', OCTETS];
/** Most bytes of a picture, which is held as a whole (jpeg-k-octets-supported). */
export const PICTURE_BYTES: number = 4 * 1024 * 1024;
/** Bytes of pages that are held (one of text at 203 dots an inch has about 10,000), and bytes of text. */
const PAGES_BYTES = 512 * 1024;
/** Bytes that tell a format: of those that are printed, and of others. */
const MAGIC_BYTES = 8;
const PREFACE_BYTES = 64;
/** More lines than any paper of a job has; laying out hundreds of thousands would keep everybody waiting. */
const MOST_LINES = 10_000;
/** Most characters of one line of the layout, as of a print command. */
const LINE_CHARACTERS = 8192;
/** The longest pause in a document that comes in pieces, where the printer is not held for it. */
const STALL_MS = 15_000;

/** The format of these first bytes; undefined for one that is not printed. */
function sniffed(bytes: Uint8Array): string | undefined {
  const kind = rasterKind(bytes);
  if (kind !== undefined) return kind === 'pwg' ? 'image/pwg-raster' : 'image/urf';
  return bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff ? 'image/jpeg' : undefined;
}

/** Bytes of the document that are held, by its format. */
export const heldBytes = (format: string): number =>
  format === 'image/jpeg' || format === OCTETS ? PICTURE_BYTES : PAGES_BYTES;

/**
 * Reads a document as far as it is held: all of it, unless it is longer than `heldBytes`. Rejects with an IppRefusal or a RasterError where
 * it cannot be printed, as the spool does, and with an ApiError where the node cannot do it now.
 */
export async function contentOf(node: Node, endpoint: string, job: IppJob, format: string): Promise<IppContent> {
  const { spool, parts } = job;
  const { wishes } = parts;
  if (spool === undefined) throw new IppRefusal(STATUS.badRequest, 'there is no document');
  await spool.ready();
  if (spool.held === 0) throw new IppRefusal(STATUS.badRequest, 'the document is empty');
  const known = sniffed(spool.peek(MAGIC_BYTES));
  // The bytes decide, and not the format that the client names: unknown ones would be printed as text.
  if (format !== 'text/plain' && known === undefined)
    throw new IppRefusal(
      format === OCTETS ? STATUS.formatNotSupported : STATUS.formatError,
      'it is of no format that is printed',
    );
  if (format !== OCTETS && format !== (known ?? 'text/plain'))
    throw new IppRefusal(STATUS.formatError, `the document is not ${format}`);
  const other = known === undefined ? prefaceOf(spool.peek(PREFACE_BYTES)) : 'job';
  if (typeof other === 'object' && 'document' in other)
    throw new IppRefusal(STATUS.formatError, `the document is ${other.document}, and no text`);
  if (known === 'image/pwg-raster' || known === 'image/urf') {
    const kind = known === 'image/urf' ? 'urf' : 'pwg';
    if (!spool.isWhole) {
      if (wishes.copies > 1) throw new IppRefusal(STATUS.tooLarge, 'the document is too long for several copies');
      return { as: 'pages', kind, hasShades: true };
    }
    const printer = node.bound('printer', endpoint);
    if (printer === undefined) throw noPrinter();
    const head = headOf(node, printer.options);
    const { rows, hasShades } = await measure(spool.read(STALL_MS), kind, wishes, head);
    checkLength(rows * wishes.copies, head);
    return { as: 'pages', kind, hasShades };
  }
  if (!spool.isWhole) throw new IppRefusal(STATUS.tooLarge, 'the document is too long');
  const file = spool.bytes();
  return known === undefined ? textOf(node, endpoint, parts, file) : pictureOf(node, endpoint, parts, file);
}

const tooLong = () => new IppRefusal(STATUS.tooLarge, `it takes over ${PAPER_METRES} m of paper`);

/** Throws an IppRefusal where so many rows, of all copies, are too many for one job. */
function checkLength(rows: number, head: Head): void {
  if (isTooLong(rows, head)) throw tooLong();
}

async function pictureOf(node: Node, endpoint: string, parts: IppJob['parts'], file: Uint8Array): Promise<IppContent> {
  const printer = node.bound('printer', endpoint);
  const offer = node.offered('printer');
  if (printer === undefined || offer === undefined) throw noPrinter();
  const head = headOf(node, printer.options);
  const { dots } = head;
  const isLines = parts.wishes.optimize.startsWith('text');
  const drawn = await offer.pictured(file, dots, isLines ? 'threshold' : 'diffusion', parts.from);
  if (drawn.ok) {
    checkLength(drawn.bitmap.height * parts.wishes.copies, head);
    return { as: 'picture', bitmap: drawn.bitmap, madeFor: printer.options };
  }
  const isLarge = drawn.error === 'too_large' || drawn.error === 'too_tall';
  throw new IppRefusal(isLarge ? STATUS.tooLarge : STATUS.formatError, drawn.detail);
}

/** Text in UTF-8, through the layout of receipts. */
async function textOf(node: Node, endpoint: string, parts: IppJob['parts'], file: Uint8Array): Promise<IppContent> {
  const lines = decoded(file)
    .replaceAll('\f', '\n')
    .trimEnd()
    .split(/\r\n|\n|\r/)
    .flatMap((line) => piecesOf(line))
    .map((value) => ({ type: 'text' as const, value }));
  if (lines.length > MOST_LINES) throw tooLong();
  const printer = node.bound('printer', endpoint);
  const laidOut = await node.offered('printer')?.laidOut(endpoint, lines, parts.from);
  if (printer === undefined || laidOut === undefined) throw noPrinter();
  if (laidOut.ok) {
    checkLength(laidOut.paperDots * parts.wishes.copies, headOf(node, printer.options));
    return { as: 'bytes', bytes: laidOut.bytes, madeFor: printer.options, told: laidOut.detail };
  }
  throw new IppRefusal(laidOut.error === 'render_too_large' ? STATUS.tooLarge : STATUS.formatError, laidOut.detail);
}

/** Throws an IppRefusal for bytes that are no UTF-8, or have NULs, as UTF-16 has: letters of them would be wrong on the paper. */
function decoded(file: Uint8Array): string {
  try {
    if (!file.includes(0)) return new TextDecoder('utf-8', { fatal: true }).decode(file);
  } catch {}
  throw new IppRefusal(STATUS.formatError, 'the document is no text in UTF-8');
}

function piecesOf(line: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at === 0 || at < line.length; at += LINE_CHARACTERS)
    pieces.push(line.slice(at, at + LINE_CHARACTERS));
  return pieces;
}
