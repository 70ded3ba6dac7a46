/** `tillnode print`, `preview` and `drawer`: the built command line, with nodes that say what the test says. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { raster } from '../../../runtime/client/client.ts';
import { runHere } from '../../cli/in-process.ts';
import { startWithClient } from '../../client/node.ts';
import { serve } from '../../client/server.ts';
import { logo, photo, pngOf } from '../../pictures.ts';

const scratch = mkdtempSync(join(tmpdir(), 'tillnode-picture-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const file = (name: string, content: string | Uint8Array): string => {
  const path = join(scratch, name);
  writeFileSync(path, content);
  return path;
};

let status: { readonly printers: readonly object[] };
beforeAll(async () => {
  const { node, client } = await startWithClient();
  status = await client.status();
  await node.stop();
});

/** A node with a printer of so many columns, and what it is sent to print. */
async function shop(columns?: number, layoutColumns = columns) {
  const commands: { endpoint: string; lines: object[] }[] = [];
  const node = await serve(async (request, response) => {
    const printers = status.printers.map((printer) => ({ ...printer, columns, layoutColumns }));
    if (request.url === '/status') return response.end(JSON.stringify({ ...status, printers }));
    commands.push(JSON.parse((await buffer(request)).toString()));
    if (request.url === '/preview')
      return response.setHeader('Content-Type', 'image/svg+xml').end('<svg>the paper</svg>\n');
    return response.end(
      '{"ok":true,"type":"command_result","commandId":"1","endpoint":"receipt","outcome":"accepted"}',
    );
  });
  const run = (args: readonly string[], input: string | Uint8Array = '') =>
    runHere([...args, '--node', node.url], { input });
  return {
    commands,
    run,
    print: (args: readonly string[], input?: string | Uint8Array) => run(['print', ...args], input),
  };
}

const PHOTO = pngOf(photo(640, 50));
const CUT = { type: 'cut' };

describe('print --image', () => {
  it.each([
    [48, 48, 576],
    [32, 48, 384],
    [48, 32, 384],
    [undefined, undefined, 576],
  ])('prints a picture as wide as %s columns, of which the layout has %s, and cuts', async (columns, layout, width) => {
    const { commands, print } = await shop(columns, layout);
    expect(await print(['--image', file('photo.png', PHOTO)])).toMatchObject({ code: 0, err: '' });
    const line = { ...(await raster(PHOTO, { width })), align: 'center' };
    expect(line.width).toBe(width);
    expect(commands.map(({ lines }) => lines)).toEqual([[line, CUT]]);
  });

  it('takes a width, a dither, standard input, and lines to print below', async () => {
    const { commands, print } = await shop(48);
    const below = file('below.json', '[{"type":"text","value":"Thank you"}]');
    const run = await print([below, '--image', '-', '--width', '200', '--dither', 'threshold'], pngOf(logo(90)));
    expect(run).toMatchObject({ code: 0, out: expect.stringMatching(/^accepted receipt/) });
    const line = { ...(await raster(pngOf(logo(90)), { width: 200, dither: 'threshold' })), align: 'center' };
    expect(commands.map(({ lines }) => lines)).toEqual([[line, { type: 'text', value: 'Thank you' }]]);
  });

  it.each([
    ['no picture', ['--image', 'below.txt'], /below\.txt: neither PNG nor JPEG/],
    ['a damaged picture', ['--image', 'half.png'], /half\.png: PNG: it is cut short/],
    [
      'a picture that is too tall',
      ['--image', 'tall.png', '--width', '576'],
      /tall\.png: the picture is 28800 rows high/,
    ],
    ['a file that is not there', ['--image', 'nothing.png'], /nothing\.png: ENOENT/],
    ['a width that no printer has', ['--image', 'photo.png', '--width', '4000'], /a width is 1 to 2040 dots/],
    ['a width that is no number', ['--image', 'photo.png', '--width', 'wide'], /--width takes dots/],
    ['another dither', ['--image', 'photo.png', '--dither', 'bayer'], /--dither takes diffusion or threshold/],
    ['a width of nothing', ['below.txt', '--width', '8'], /--width and --dither need --image/],
  ])('takes %s for a wrong call: one line, code 2, nothing printed', async (_, args, words) => {
    file('below.txt', '[]');
    file('half.png', PHOTO.subarray(0, 500));
    file('tall.png', pngOf(photo(20, 1000)));
    file('photo.png', PHOTO);
    const { commands, print } = await shop(48);
    const { code, out, err } = await print(args.map((arg) => (/\.\w+$/.test(arg) ? join(scratch, arg) : arg)));
    expect([code, out, err.split('\n').length, commands]).toEqual([2, '', 2, []]);
    expect(err).toMatch(words);
  });
});

it('print and drawer go to the endpoint receipt, or to the one that is named', async () => {
  const { commands, run } = await shop(48);
  const order = JSON.stringify({ type: 'print', id: '7', endpoint: 'bar', lines: [CUT] });
  await run(['print', '-'], order);
  await run(['print', '-', '--endpoint', 'kitchen'], order);
  await run(['print', '-', '--endpoint', 'kitchen'], JSON.stringify([CUT]));
  await run(['drawer']);
  await run(['drawer', '--endpoint', 'kitchen']);
  expect(commands.map(({ endpoint }) => endpoint)).toEqual(['bar', 'kitchen', 'kitchen', 'receipt', 'kitchen']);
});

it('preview writes the paper to standard output', async () => {
  const { commands, run } = await shop(48);
  expect(await run(['preview', '-'], JSON.stringify([CUT]))).toEqual({
    code: 0,
    out: '<svg>the paper</svg>\n',
    err: '',
  });
  expect(JSON.parse((await run(['preview', '-', '--json'], JSON.stringify({ lines: [CUT] }))).out)).toEqual({
    svg: '<svg>the paper</svg>\n',
  });
  expect(commands).toEqual([{ lines: [CUT] }, { lines: [CUT] }]);
  expect(await run(['preview'])).toMatchObject({ code: 2, out: '' });
});
