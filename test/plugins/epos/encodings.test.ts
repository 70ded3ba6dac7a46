/** Documents of ePOS-Print XML in other encodings than UTF-8. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type PrintingNode, startPrintingNode } from '../../node.ts';

let node: PrintingNode;
beforeAll(async () => {
  node = await startPrintingNode();
  await node.kernel.config.patch({ epos: { enabled: true } });
});
afterAll(() => node.stop());
afterEach(() => node.printer.tearOff());

const EPOS = 'http://www.epson-pos.com/schemas/2011/03/epos-print';
const document = (declaration: string, text = 'K\xe4se') =>
  `${declaration}<epos-print xmlns="${EPOS}"><text>${text}&#10;</text></epos-print>`;
const declared = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?>`;
const latin = (text: string) => Buffer.from(text, 'latin1');

async function post(bytes: Buffer, type = 'text/xml') {
  const answer = await fetch(`${node.url}/cgi-bin/epos/service.cgi`, {
    method: 'POST',
    headers: { 'Content-Type': type },
    body: Uint8Array.from(bytes),
  });
  return { status: answer.status, text: await answer.text() };
}

describe('documents of ePOS-Print XML', () => {
  it.each<[string, Buffer, string?]>([
    ['ISO-8859-1 by its declaration', latin(document(declared('ISO-8859-1')))],
    ['what only looks like UTF-8', latin(document(declared('windows-1252'), 'K\xc3\xa4se'))],
    ['IBM850 by its declaration', latin(document(declared('IBM850'), 'K\x84se'))],
    ['ISO-8859-1 by its media type', latin(document('')), 'text/xml; charset=iso-8859-1'],
    ['UTF-16 by its mark', Buffer.from(`\ufeff${document(declared('utf-16'))}`, 'utf16le')],
    ['UTF-16 by its first character', Buffer.from(document(declared('utf-16')), 'utf16le').swap16()],
    ['UTF-8 that says it is UTF-16', Buffer.from(document(declared('utf-16')))],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${document(declared('utf-8'))}`)],
  ])('are printed: %s', async (name, bytes, type) => {
    const { text } = await post(bytes, type);
    expect(text).toContain('success="true"');
    expect(node.printer.paperText()).toContain(name.startsWith('what') ? 'K\xc3\xa4se' : 'K\xe4se');
  });

  it('are refused by the name of an encoding that is not known', async () => {
    const { status, text } = await post(latin(document(declared('EBCDIC-CP-US'))));
    expect([status, JSON.parse(text)]).toEqual([
      400,
      { ok: false, error: 'invalid_body', detail: 'encoding: EBCDIC-CP-US is not known here' },
    ]);
    expect(node.printer.paperText()).toBe('');
  });

  it.each([
    ['declared', document(declared('utf-8'))],
    ['not declared', document('')],
  ])('are refused for bytes that are none of UTF-8, %s', async (_, text) => {
    expect((await post(latin(text))).text).toMatch(/code="SchemaError".*none of the encoding/);
    expect(node.printer.paperText()).toBe('');
  });
});
