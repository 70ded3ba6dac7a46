/** The text of XML documents, and what is none. */
import { describe, expect, it } from 'vitest';
import { sdpJobs } from '../../codecs/epos-sdp.ts';
import { declaring, xmlDecoder } from '../../codecs/xml-encoding.ts';

const DECLARED = '<?xml version="1.0" encoding="utf-8"?>';

/** Decoded whole, and byte by byte. */
function decoded(bytes: Uint8Array, mediaType?: string): string {
  const [whole, split] = [xmlDecoder(bytes, mediaType), xmlDecoder(bytes, mediaType)];
  const text = whole.decode(bytes) + whole.end();
  const pieces = Array.from(bytes, (byte) => split.decode(Uint8Array.of(byte)));
  // What stands behind the first that is wrong is not read.
  const read = (whole: string) => whole.split('\ufffe', 1)[0];
  expect(read(pieces.join('') + split.end())).toBe(read(text));
  return text;
}

describe('an XML document', () => {
  it.each([
    ['utf-8', Buffer.from('<a>é\ufffd€</a>')],
    ['iso-8859-1', Buffer.from('<a>é\xa0</a>', 'latin1')],
    ['utf-16le', Buffer.from('<a>é\ufffd€</a>', 'utf16le')],
  ])('keeps what is of its encoding: %s', (charset, bytes) => {
    expect(decoded(bytes, `text/xml; charset=${charset}`)).not.toContain('\ufffe');
  });

  it.each([
    [
      'a code page that it names',
      '<?xml version="1.0" encoding="IBM850"?><a>\x81\x9c</a>',
      'latin1',
      '<a>\xfc\xa3</a>',
    ],
    ['UTF-16 without a mark', '<?xml version="1.0" encoding="utf-16"?><a>\xfc</a>', 'utf16le', '<a>\xfc</a>'],
  ] as const)('is read from %s', (_, text, encoding, expected) => {
    const bytes = Buffer.from(text, encoding);
    expect(decoded(bytes)).toContain(expected);
    if (encoding === 'utf16le') expect(decoded(Buffer.from(bytes).swap16())).toContain(expected);
  });

  it.each(['utf-16', 'UTF-16LE'])('is read without its charset where that is %s and the bytes are not', (charset) => {
    const bytes = Buffer.from('<?xml version="1.0" encoding="utf-16"?><a>ä</a>');
    expect(decoded(bytes, `text/xml; charset=${charset}`)).toContain('<a>ä</a>');
  });

  it.each([
    ['<a>\xe9</a>', '<?xml version="1.0" encoding="iso-8859-1"?><a>\xe9</a>'],
    ['<?xml version="1.0"?><a>\xe9</a>', '<?xml version="1.0" encoding="iso-8859-1"?><a>\xe9</a>'],
    ['<?xml version="1.0" encoding="cp850"?><a/>', '<?xml version="1.0" encoding="cp850"?><a/>'],
    ['\xef\xbb\xbf<a/>', '\xef\xbb\xbf<a/>'],
  ])('declares what its media type alone said: %j', (text, expected) => {
    const said = declaring(Buffer.from(text, 'latin1'), 'text/xml; charset="iso-8859-1"');
    expect(Buffer.from(said).toString('latin1')).toBe(expected);
  });

  it.each([
    ['one that is Latin-1', Buffer.from(`${DECLARED}<a>Caf\xe9 cr\xe8me</a>`, 'latin1')],
    ['one that is cut', Buffer.from('<a>€').subarray(0, -1)],
    ['one of UTF-16 with half a character', Buffer.from('\ufeff<a>\ud800</a>', 'utf16le')],
  ])('has what XML has not where bytes are none of the encoding: %s', (_, bytes) => {
    expect(decoded(bytes)).toContain('\ufffe');
  });

  it('is refused by name behind the jobs that are whole', () => {
    const job = (id: string, text: string) =>
      `<ePOSPrint><Parameter><printjobid>${id}</printjobid></Parameter><PrintData><epos-print xmlns="http://www.epson-pos.com/schemas/2011/03/epos-print"><text>${text}</text></epos-print></PrintData></ePOSPrint>`;
    const answer = `${DECLARED}<PrintRequestInfo>${job('1', 'a')}${job('2', 'Caf\xe9')}</PrintRequestInfo>`;
    expect(sdpJobs(decoded(Buffer.from(answer, 'latin1'))).jobs).toMatchObject([
      { id: '1', commands: [{ type: 'print' }] },
      { id: '2', commands: { fault: expect.stringContaining('bytes that are none of the encoding') } },
    ]);
  });
});
