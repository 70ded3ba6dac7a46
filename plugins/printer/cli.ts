/** `tillnode print FILE`, also of pictures, `tillnode preview FILE` and `tillnode drawer`. */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { MOST_FILE_BYTES } from '../../codecs/picture.ts';
import { type CliCommand, type CliContext, UsageError } from '../../runtime/cli/command.ts';
import { clean, json, paint, writeOut } from '../../runtime/cli/terminal.ts';
import { type NodeClient, NodeError, type RasterOptions } from '../../runtime/client/client.ts';

/** Largest body of POST /print. */
const MAX_BYTES = 256 * 1024;
/** The endpoint of this room where the image names no other. */
const RECEIPT = 'receipt';
const AT = { endpoint: { type: 'string' }, key: { type: 'string' } } as const;

/** The context as options of a call, with the key of `--key`: what is sent again with it is done once. */
const keyed = (context: CliContext) => ({ ...context, key: context.values['key'] as string | undefined });

/** The bytes of a file (`-`: standard input). Rejects with a UsageError that names it. */
async function read(file: string, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of file === '-' ? process.stdin : createReadStream(file)) {
      size += (chunk as Buffer).length;
      if (size > most) throw new Error(`over ${most} bytes`);
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`);
  }
  return Buffer.concat(chunks);
}

/** A print command, as the client takes it. */
type PrintCommand = Parameters<NodeClient['print']>[0];
type Line = PrintCommand['lines'][0];

/** The id of a command that has none: of the same key the same one, as a request that is sent again is the same request. */
const idOf = ({ values }: CliContext): string => {
  const { key } = values;
  return typeof key === 'string' ? createHash('sha256').update(key).digest('hex').slice(0, 32) : randomUUID();
};

const commandOf = (context: CliContext, given: object): PrintCommand =>
  ({ type: 'print', id: idOf(context), endpoint: RECEIPT, ...given }) as PrintCommand;

async function commandIn(context: CliContext, file: string): Promise<PrintCommand> {
  const bytes = await read(file, MAX_BYTES);
  let found: unknown;
  try {
    found = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof SyntaxError ? error.message : 'the text is not UTF-8'}`);
  }
  const given = Array.isArray(found) ? { lines: found } : found;
  if (typeof given !== 'object' || given === null || !('lines' in given)) {
    throw new UsageError(`${file}: not a print command and not an array of lines`);
  }
  return commandOf(context, given);
}

/** How a picture is to be printed. */
function pictureOptions({ width, dither }: CliContext['values']): RasterOptions {
  if (dither !== undefined && dither !== 'diffusion' && dither !== 'threshold')
    throw new UsageError('--dither takes diffusion or threshold');
  if (width !== undefined && !/^\d+$/.test(String(width))) throw new UsageError('--width takes dots');
  return { width: width === undefined ? undefined : Number(width), dither };
}

/** The line of a picture file; without a width, no wider than receipts of this endpoint are laid out. */
async function pictureIn(file: string, endpoint: string, { client, signal, values }: CliContext): Promise<Line> {
  const options = pictureOptions(values);
  const bytes = await read(file, MOST_FILE_BYTES);
  const { rasterOf, readPicture } = await import('../../codecs/picture-raster.ts');
  try {
    // Before the node is asked: its connection would be idle, and closed, while a large picture is decoded.
    const grey = await readPicture(bytes);
    const printers = options.width === undefined ? (await client.status({ signal })).printers : [];
    const { columns, layoutColumns = columns } = printers.find((printer) => printer.endpoint === endpoint) ?? {};
    const fits = columns === undefined || layoutColumns === undefined ? undefined : Math.min(columns, layoutColumns);
    return { ...rasterOf(grey, { ...options, columns: fits }), align: 'center' };
  } catch (error) {
    throw error instanceof NodeError ? error : new UsageError(`${file}: ${(error as Error).message}`);
  }
}

/**
 * Prints a file (`-`: standard input, at most 256 KiB) that has a print command or only its array of lines, at the endpoint
 * of `--endpoint`, of the command, or `receipt`. With a picture (`--image`, PNG or JPEG), that is printed above them; alone,
 * it is followed by a cut.
 */
const print: CliCommand = {
  usage: 'FILE.json',
  summary:
    'print a print command, or an array of lines; - reads them from standard input;\n' +
    `${' '.repeat(24)}--image FILE prints a PNG or JPEG [--width DOTS] [--dither threshold];\n` +
    `${' '.repeat(24)}--endpoint ID names the printer where there are several;\n` +
    `${' '.repeat(24)}--key KEY: sent again with the same key, it is printed once`,
  positionals: [0, 1],
  options: { ...AT, image: { type: 'string' }, width: { type: 'string' }, dither: { type: 'string' } },
  async run(context, [file]) {
    const { image, width, dither, endpoint: at } = context.values as Readonly<Record<string, string | undefined>>;
    if (image === undefined && (width ?? dither) !== undefined)
      throw new UsageError('--width and --dither need --image');
    if (image === undefined && file === undefined) throw new UsageError('usage: tillnode print FILE.json');
    const given =
      file === undefined ? commandOf(context, { lines: [{ type: 'cut' }] }) : await commandIn(context, file);
    const command = at === undefined ? given : { ...given, endpoint: at };
    const pictures = image === undefined ? [] : [await pictureIn(image, command.endpoint, context)];
    const lines = pictures.concat(command.lines);
    const result = await context.client.print({ ...command, lines }, keyed(context));
    if (context.json) return writeOut(json(result));
    const { commandId, endpoint, outcome, detail } = result;
    writeOut(`${paint('green', clean(outcome ?? 'accepted'))} ${clean(endpoint)} ${clean(commandId)}`);
    if (detail !== undefined) writeOut(clean(detail));
  },
};

/** Writes the paper that a file (`-`: standard input) makes to standard output, as SVG; nothing is printed. */
const preview: CliCommand = {
  usage: 'FILE.json',
  summary: 'write the paper that print would make to standard output, as SVG',
  positionals: 1,
  async run(context, [file = '']) {
    const { client, signal, json: asJson } = context;
    const svg = await client.preview((await commandIn(context, file)).lines, { signal });
    writeOut(asJson ? json({ svg }) : svg.trimEnd());
  },
};

/** Opens the cash drawer at the printer of `--endpoint`, or `receipt`. */
const drawer: CliCommand = {
  usage: '',
  summary: 'kick the cash drawer open [--endpoint ID] [--key KEY]',
  options: AT,
  async run(context) {
    const endpoint = String(context.values['endpoint'] ?? RECEIPT);
    const result = await context.client.kickDrawer(
      { type: 'drawer_kick', id: idOf(context), endpoint },
      keyed(context),
    );
    writeOut(
      context.json ? json(result) : `${paint('green', 'kicked')} ${clean(result.endpoint)} ${clean(result.commandId)}`,
    );
  },
};

export const commands = { print, preview, drawer };
