/** Texts of CloudPRNT in their encodings. */
import { beforeEach, describe, expect, it } from 'vitest';
import { type PrintingNode, startPrintingNode, until } from '../node.ts';
import { startPull } from './pulling.ts';
import { type StarServer, starServer } from './star.ts';

let node: PrintingNode;
let star: StarServer;
beforeEach(async () => {
  node = await startPrintingNode();
  star = await starServer();
  return async () => {
    await star.close();
    await node.stop();
  };
});

const paper = () => Buffer.from(node.printer.paperBytes()).toString('latin1');

/** Has one text printed; resolves with the code that the server is told. */
async function printed(body: Buffer, headers: Record<string, string>): Promise<string | undefined> {
  star.queue.push({ token: '1', types: ['text/plain'], body, headers });
  await startPull({ server: star.url, node: node.url, protocol: 'cloudprnt' });
  await until(() => star.codes.length === 1);
  return star.codes[0];
}

const typed = (parameter: string) => ({ 'Content-Type': `text/plain; ${parameter}` });
const bytes = (hex: string) => Buffer.from(`${Buffer.from('<').toString('hex')}${hex}3e0a`, 'hex');
/** As it comes out in page 1252, which this printer has first. */
const latin = (text: string) => Buffer.from(text, 'latin1').toString('latin1');

describe('texts of CloudPRNT', () => {
  it.each<[string, string, Record<string, string>, string]>([
    ['IBM437', '8184e1', typed('charset=IBM437'), '<\xfc\xe4\xdf>'],
    ['cp850', '818ee1b5', typed('charset="cp850"'), '<\xfc\xc4\xdf\xc1>'],
    ['IBM00858', 'd5', typed('charset=IBM00858'), '<\x80>'],
    ['858, a bare number', 'd581', typed('charset=858'), '<\x80\xfc>'],
    ['852', '84e7', typed('charset=cp852'), '<\xe4\x9a>'],
    ['UTF-8 named by encoding', 'c3bc', typed('encoding=utf-8'), '<\xfc>'],
    ['a page of the field of Star', '81', { 'Content-Type': 'text/plain', 'X-Star-Codepage': '437' }, '<\xfc>'],
    ['UTF-8 by the field of Star', 'c3bc', { ...typed('charset=cp850'), 'X-Star-Codepage': 'utf8' }, '<\xfc>'],
    [
      'the printer\u2019s own page, which is left to the charset',
      '81',
      { ...typed('charset=cp850'), 'X-Star-Codepage': 'std' },
      '<\xfc>',
    ],
  ])('are printed from %s', async (_, hex, headers, expected) => {
    expect(await printed(bytes(hex), headers)).toBe('200 OK');
    expect(paper()).toContain(latin(expected));
  });

  it.each<[string, Buffer, string]>([
    ['with a mark, whatever is named', Buffer.from('\ufeff<K\xe4se>\n', 'utf16le'), 'charset=utf-8'],
    ['with the other mark', Buffer.from('\ufeff<K\xe4se>\n', 'utf16le').swap16(), 'charset=utf-16'],
    ['without a mark', Buffer.from('<K\xe4se>\n', 'utf16le'), 'charset=utf-16'],
    ['without a mark, the other way round', Buffer.from('<K\xe4se>\n', 'utf16le').swap16(), 'charset=UTF-16'],
    ['named by its order', Buffer.from('<K\xe4se>\n', 'utf16le').swap16(), 'charset=utf-16be'],
    ['that nothing names', Buffer.from('<K\xe4se>\n', 'utf16le'), 'format=flowed'],
  ])('are printed from UTF-16 %s', async (_, body, parameter) => {
    expect(await printed(body, typed(parameter))).toBe('200 OK');
    expect(paper()).toContain('<K\xe4se>');
  });

  it.each([
    ['few zeros', '<a>\n\0'],
    ['as many zeros as letters', `<a>\n${'\0'.repeat(5)}`],
    ['more zeros than letters', `<a>\n${'\0'.repeat(200)}`],
  ])('are of UTF-8 with %s behind them, too', async (_, text) => {
    expect(await printed(Buffer.from(text), { 'Content-Type': 'text/plain' })).toBe('200 OK');
    expect(paper()).toContain('<a>');
  });

  it.each<[string, string, RegExp]>([
    ['an encoding that nobody knows', 'charset=ebcdic', /^511 .*encoding: ebcdic is not known here/],
    ['a code page that is not here', 'charset=cp999', /^511 .*encoding: cp999 is not known here/],
    ['bytes that the page has not', 'charset=857', /^511 .*none of the encoding 857/],
    ['bytes that are not UTF-8', 'charset=utf-8', /^511 .*none of the encoding utf-8/],
  ])('are refused by name for %s', async (_, parameter, code) => {
    expect(await printed(bytes('d5'), typed(parameter))).toMatch(code);
    expect(paper()).not.toContain('<');
  });

  it('are asked for as UTF-8', async () => {
    let asked: unknown;
    star.failing = (method, _url, headers) => {
      if (method === 'GET') asked = headers['x-star-accept-codepages'];
      return undefined;
    };
    await printed(Buffer.from('a'), typed('charset=utf-8'));
    expect(asked).toBe('utf8');
  });
});
