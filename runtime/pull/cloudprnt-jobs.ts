/** Jobs of CloudPRNT as commands of a node: text, PNG and JPEG, with what the head of the response asks of cutter and drawer. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { encodeBase64 } from '../../codecs/base64-node.ts';
import { ditheredTo } from '../../codecs/dither.ts';
import type { EposCommand, EposLine } from '../../codecs/epos-xml.ts';
import { type Dither, type Grey, PictureError } from '../../codecs/picture.ts';
import { readPicture } from '../../codecs/picture-raster.ts';
import { decodedText } from '../../codecs/text-encoding.ts';
import type { JobCommands } from './journal.ts';
import { compiled } from './optimizer.ts';

/** Media types of jobs that can be printed, in the order in which they are wanted where a server has several. */
export const MEDIA_TYPES: readonly string[] = ['text/plain', 'image/png', 'image/jpeg'];

/** A media type without its parameters. */
export const mediaTypeOf = (value: string | undefined): string => (value ?? '').split(';', 1)[0]!.trim().toLowerCase();

const ROWS = 1000;
const SLICE_BYTES = 135_000;
const MOST_TEXT = 8000;
/** Bytes of a text: more than any paper that a job may take. */
const TEXT_BYTES = 256 * 1024;

const fault = (code: string, words: string): JobCommands => ({ code, fault: words });

/**
 * The commands of a job, which `eposParts` cuts, or why it cannot be printed. `dots`: of the printer, across. `remark`: told of a field that
 * is not known, which is passed over.
 */
export async function cloudprntCommands(
  headers: IncomingHttpHeaders,
  body: Buffer,
  dots: number,
  remark: (words: string) => void,
): Promise<JobCommands> {
  const type = mediaTypeOf(headers['content-type']);
  if (!MEDIA_TYPES.includes(type)) return fault('media_type', `${type || 'no media type'} cannot be printed`);
  const known = (name: string, words: RegExp) => {
    const word = wordIn(headers[name.toLowerCase()]);
    if (word === undefined || words.test(word)) return word;
    remark(`${name}: ${word === '' ? 'it is empty' : JSON.stringify(word)}, which is not known; it is passed over`);
    return undefined;
  };
  const cut = known('X-Star-Cut', /^(none|partial|full)$/);
  const drawer = known('X-Star-CashDrawer', /^(none|start|end)$/);
  if (type === 'text/plain' && body.length > TEXT_BYTES)
    return fault('render_too_large', `a text of over ${TEXT_BYTES} bytes`);
  let lines: EposLine[];
  try {
    lines =
      type === 'text/plain'
        ? textLines(charsetOf(headers), body)
        : await compiled(() => pictureLines(body, headers, dots));
  } catch (error) {
    if (error instanceof PictureError)
      return fault(error.code.startsWith('too_') ? 'render_too_large' : 'invalid_command', error.message);
    if (error instanceof RangeError) return fault('invalid_command', error.message);
    throw error;
  }
  // Printers cut behind a job that does not say otherwise.
  if (cut !== 'none') lines.push({ type: 'cut', mode: cut === 'full' ? 'full' : 'partial' });
  const kick: EposCommand[] =
    drawer === 'start' || drawer === 'end' ? [{ type: 'drawer_kick', pin: 2, onMs: 200 }] : [];
  return [...(drawer === 'start' ? kick : []), { type: 'print', lines }, ...(drawer === 'end' ? kick : [])];
}

/** SHA-256 of a job as it came: of all that says what is printed, on whatever paper. */
export function jobMark(headers: IncomingHttpHeaders, body: Uint8Array): string {
  const hash = createHash('sha256');
  for (const name of [
    'content-type',
    'x-star-cut',
    'x-star-cashdrawer',
    'x-star-codepage',
    'x-star-imageditherpattern',
  ])
    hash.update(`${headers[name] ?? ''}\n`);
  return hash.update(body).digest('base64url');
}

/** What a release before this one knew a job by: what it prints, whatever its head asks for. */
export const jobMarkOfBefore = (body: Uint8Array): string => createHash('sha256').update(body).digest('base64url');

/** The first word of a field, as of `partial; feed=true`. */
function wordIn(field: string | string[] | undefined): string | undefined {
  return field === undefined ? undefined : mediaTypeOf(String(field)).slice(0, 32);
}

/** The label of a text's encoding; some servers write `encoding` for `charset`, and Star's own field has numbers of code pages, too. */
function charsetOf(headers: IncomingHttpHeaders): string | undefined {
  const named = /;\s*(?:charset|encoding)\s*=\s*"?([\w.:-]+)/i.exec(headers['content-type'] ?? '')?.[1];
  const page = wordIn(headers['x-star-codepage']);
  // The printer's own, which is not known here.
  return (page === 'std' ? undefined : page) || named;
}

/** Throws a RangeError where the text is not of that encoding, or nobody knows it. */
function textLines(charset: string | undefined, body: Buffer): EposLine[] {
  const decoded = decodedText(body, charset);
  const text = decoded.replace(/\r\n?/g, '\n').replace(/\n$/, '');
  const lines: EposLine[] = [];
  let value = '';
  for (const [index, row] of text.split('\n').entries()) {
    for (let from = 0; from === 0 || from < row.length; from += MOST_TEXT) {
      const part = row.slice(from, from + MOST_TEXT);
      if (value.length + part.length >= MOST_TEXT) {
        lines.push({ type: 'text', value });
        value = part;
      } else value = index === 0 && from === 0 ? part : `${value}\n${part}`;
    }
  }
  return [...lines, { type: 'text', value }];
}

async function pictureLines(body: Buffer, headers: IncomingHttpHeaders, dots: number): Promise<EposLine[]> {
  const grey = await readPicture(body);
  const dither: Dither = wordIn(headers['x-star-imageditherpattern']) === 'none' ? 'threshold' : 'diffusion';
  const parts = grey.width > dots ? [grey] : slices(grey);
  return parts.map((part) => {
    const { width, height, data } = ditheredTo(part, Math.min(grey.width, dots), dither);
    return { type: 'raster', width, height, data: encodeBase64(data) };
  });
}

function slices({ width, height, data }: Grey): Grey[] {
  const most = Math.min(ROWS, Math.floor(SLICE_BYTES / Math.ceil(width / 8)));
  return Array.from({ length: Math.ceil(height / most) }, (_, index) => {
    const [from, rows] = [index * most, Math.min(most, height - index * most)];
    return { width, height: rows, data: data.subarray(from * width, (from + rows) * width) };
  });
}
