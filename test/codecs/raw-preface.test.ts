import { describe, expect, it } from 'vitest';
import { isTelling, type Preface, prefaceOf } from '../../codecs/raw-preface.ts';

/** `more`, `job`, a protocol, or `document NAME`. */
const of = (text: string): string => {
  const preface: Preface = prefaceOf(Buffer.from(text, 'latin1'));
  if (typeof preface === 'string') return preface;
  return 'protocol' in preface ? preface.protocol : `document ${preface.document}`;
};
/** What it says with every byte that comes, until it says something else than `more`. */
function decided(text: string): { preface: string; after: number } {
  for (let length = 1; length <= text.length; length++) {
    const preface = of(text.slice(0, length));
    if (preface !== 'more') return { preface, after: length };
  }
  return { preface: 'more', after: text.length };
}

/** What comes first, and what it is taken for. */
const FIRST: readonly (readonly [string, string])[] = [
  ['GET / HTTP/1.0\r\n\r\n', 'http'],
  ['GET / HTTP/1.1\r\nHost: 10.0.0.9:9100\r\n\r\n', 'http'],
  ['GET /nice%20ports%2C/Tri%6Eity.txt%2ebak HTTP/1.0\r\n\r\n', 'http'],
  ['HEAD / HTTP/1.1\n\n', 'http'],
  ['POST /cgi-bin/x?y=1 HTTP/1.1\r\n', 'http'],
  ['PUT /a HTTP/1.1\r\n', 'http'],
  ['DELETE /a HTTP/1.1\r\n', 'http'],
  ['OPTIONS / HTTP/1.0\r\n\r\n', 'http'],
  ['OPTIONS / RTSP/1.0\r\n\r\n', 'http'],
  ['OPTIONS sip:nm SIP/2.0\r\nVia: SIP/2.0/TCP nm\r\n', 'http'],
  ['TRACE / HTTP/1.1\r\n', 'http'],
  ['CONNECT 10.0.0.1:443 HTTP/1.1\r\n', 'http'],
  ['PATCH /x HTTP/1.1\r\n', 'http'],
  ['QUERY /a HTTP/1.1\r\n', 'http'],
  ['X-FOO /a HTTP/1.1\r\n', 'http'],
  ['\0GET / HTTP/1.1\r\n', 'http'],
  ['\0\0%PDF-1.7', 'document PDF'],
  ['%!\n%%Pages: 1', 'document PostScript'],
  [') HP-PCL XL;3;0', 'document PCL XL'],
  ['2SaR', 'document PWG Raster'],
  ['PROPFIND / HTTP/1.1\r\n', 'http'],
  ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'http'],
  ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 'tls'],
  ['\x16\x03\x00\x00S\x01\x00\x00O\x03\x00?G\xd7', 'tls'],
  ['\x16\x03\x03\x00\x41', 'tls'],
  ['SSH-2.0-OpenSSH_9.6\r\n', 'ssh'],
  ['SSH-1.99-Go\r\n', 'ssh'],
  ['\r\n\r\nGET / HTTP/1.1\r\n', 'http'],
  ['\nGET / HTTP/1.1\n', 'http'],
  ['M-SEARCH * HTTP/1.1\r\nMAN: "ssdp:discover"\r\n', 'http'],
  ['NOTIFY * HTTP/1.1\r\n', 'http'],
  ['DESCRIBE rtsp://10.0.0.9/cam RTSP/1.0\r\n', 'http'],
  ['INVITE sip:a@b SIP/2.0\r\n', 'http'],
  [`GET /${'a'.repeat(7500)} HTTP/1.1\r\n`, 'http'],
  ['%PDF-1.7\n', 'document PDF'],
  ['%!PS-Adobe-3.0\n', 'document PostScript'],
  ['\x04%!PS-Adobe-3.0\n', 'document PostScript'],
  ['@PJL INFO STATUS\r\n', 'document PJL'],
  ['\x1b%-12345X@PJL\r\n', 'document PJL'],
  ['\x1bE\x1b&l0O', 'document PCL'],
  ['^XA^FO50,50^FS^XZ', 'document ZPL'],
  ['\r\n^XA\n', 'document ZPL'],
  ['\x10CT~~CD,~CC^~CT~', 'document ZPL'],
  ['! 0 200 200 210 1\r\n', 'document CPCL'],
  ['RaS2PwgRaster', 'document PWG Raster'],
  ['UNIRAST\0\0\0\0\x01', 'document Apple Raster'],
  ['\x89PNG\r\n\x1a\n', 'document PNG'],
  ['\xff\xd8\xff\xe0\x00\x10JFIF', 'document JPEG'],
  ['GIF89a', 'document GIF'],
  ['II*\0', 'document TIFF'],
  ['PK\x03\x04', 'document XPS or ZIP'],
  ['BM\x36\x10\0\0\0\0\0\0\x36\0\0\0', 'document BMP'],
  ['\x01queue\n', 'job'],
  ['stats\r\n', 'job'],
  ['*1\r\n$4\r\nPING\r\n', 'job'],
  ['N\r\nq609\r\n', 'job'],
  ['~HS\r\n', 'job'],
  ['\xff\xfb\x18\xff\xfd\x03', 'telnet'],
  ['HELP\r\n', 'job'],
  ['EHLO nmap.scanme.org\r\n', 'job'],
  ['\x1b%-12345X@PJL INFO STATUS\r\n', 'document PJL'],
  ['\x00\x00\x00\xa4\xffSMBr\x00', 'smb'],
  ['\x00\x00\x00\x44\xfeSMB@\x00', 'smb'],
  ['\x01default\n', 'job'],
  ['\x6c\x00\x0b\x00\x00\x00', 'x11'],
  ['\x30\x0c\x02\x01\x01\x60\x07', 'ldap'],
  ['\x30\x84\x00\x00\x00\x2d\x02\x01\x07\x63\x84', 'ldap'],
  ['0123456789\n', 'job'],
  ['\x00\x1e\x00\x06\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x07version', 'dns'],
  ['\x00\x0c\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00\x00\x00', 'dns'],
  ['\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00Total\n', 'job'],
  ['\x80\x00\x00\x28\x72\xfe\x1d\x13\x00\x00\x00\x00\x00\x00\x00\x02\x00\x01\x86\xa0', 'rpc'],
  ['\x05\x00\x0b\x03\x10\x00\x00\x00\x48\x00', 'rpc'],
  ['\x00\x00\x00\x71\x6a\x81\x6e\x30', 'kerberos'],
  ['\x10\x0c\x00\x04MQTT\x04\x02', 'mqtt'],
  ['\x10\x12\x00\x06MQIsdp\x03', 'mqtt'],
  ['AMQP\x00\x00\x09\x01', 'amqp'],
  ['AMQP and other words\n', 'job'],
  ['\x00\x00\x00\x08\x04\xd2\x16\x2f', 'postgresql'],
  ['\x12\x01\x00\x34\x00\x00\x00\x00\x00\x00\x15\x00', 'tds'],
  ['\x00\x5a\x00\x00\x01\x00\x00\x00\x01\x36\x01\x2c', 'tns'],
  ['JRMI\x00\x02K', 'rmi'],
  ['GIOP\x01\x00\x01\x00\x24', 'giop'],
  ['\x03\x00\x00\x0b\x06\xe0', 'rdp'],
  ['\x80\x9e\x01\x03\x01\x00u\x00', 'tls'],
];

describe('a connection to port 9100', () => {
  it.each(FIRST)('that begins with %j is %s', (first, wanted) => {
    expect(decided(first).preface).toBe(wanted);
    expect(of(first)).toBe(wanted);
  });

  it.each([
    ['\x1b@Hello', 2],
    ['\x1d!\x11', 1],
    ['\x10\x04\x01', 3],
    ['  Corner Shop\n', 1],
    ['Table 4\n', 2],
    ['TOTAL 5.00\n', 7],
    ['\x16\x10', 2],
    ['^XAVIER\n', 4],
    ['GET WELL SOON\n', 11],
    ['POST OFFICE\nLondon', 12],
    ['PUT ON HTTP\n', 12],
    ['GET / HTTP is a word\n', 11],
    ['SSH-Kabel 3 m\n', 6],
    ['\n\nCorner Shop\n', 4],
    ['\0\0\0\0\x1b@', 6],
    ['BMW SERVICE\n', 7],
    ['\x1b%\x01', 3],
    ['\x1bE\x01Bold', 3],
    ['!!! SALE !!!\n', 2],
    ['! 5 items\n', 5],
    ['%!A', 3],
    ['INFO\r\n', 5],
    ['PKW 12\n', 5],
    ['SIPS AND BITES', 6],
    ['GET\n', 4],
  ])('that begins with %j prints, and is known for a job after %i bytes', (receipt, after) => {
    expect(decided(receipt)).toEqual({ preface: 'job', after });
  });

  it('is taken for a job where a request line goes on beyond 8,000 bytes (RFC 9112, 3)', () => {
    expect(of(`GET /${'a'.repeat(7994)}`)).toBe('more');
    expect(of(`GET /${'a'.repeat(7995)}`)).toBe('job');
    expect(of(`GET /${'a'.repeat(9000)} HTTP/1.1\r\n`)).toBe('job');
    expect(of('\n'.repeat(7999))).toBe('more');
    expect(of('\n'.repeat(8000))).toBe('job');
  });

  it.each([
    ...[
      'GET /',
      'GET / HT',
      'OPTIONS *',
      'QUERY /a HTTP/1.1',
      'INVITE sip:a',
      '\r\nGET / HTTP/1.1\r',
      'SSH-',
      'SSH-2.0',
    ],
    ...[
      'GET ',
      'CONNECT example.com:443 HT',
      'SSH',
      '! 0 ',
      'BM\x36\x10\0\0\0',
      '^X',
      '%!',
      '\x1b%',
      '\x1bE',
      '\xff\xd8',
    ],
    ...['%PD', '\0%PDF', '%!P', '\x1b%-', '\x1b%-12345', '@PJL', '^XA', 'UNIR', '\x1bE\x1b', '! 0 200', '\x89PN'],
    ...['\x10\x0c\0\x04MQ', '\0\0\0\x08\x04\xd2', 'AMQP'],
  ])('that begins with %j, and no more yet, can be little but the head of something else', (head) => {
    expect([of(head), isTelling(Buffer.from(head, 'latin1'))]).toEqual(['more', true]);
  });

  it('that has begun as one of these can be little else wherever it is cut behind its third byte, but for words and NULs', () => {
    // A word of letters, one that may be a method with another one behind it, NULs with what may be text behind them.
    const open = /^(?:[\r\n]*[A-Z-]+(?: [a-z]*)?|\0.{0,3}|\0{3}.)$/s;
    const others = FIRST.filter(([, wanted]) => wanted !== 'job').map(([first]) => first);
    const cut = others.flatMap((first) => Array.from(first, (_, at) => first.slice(0, at)));
    const begun = cut.filter(
      (head) => head.replace(/^[\r\n\0]+/, '').length > 3 && of(head) === 'more' && !open.test(head),
    );
    expect(begun.length).toBeGreaterThan(200);
    expect(begun.filter((head) => !isTelling(Buffer.from(head, 'latin1')))).toEqual([]);
  });

  it.each([
    ...['G', 'GET', 'POST O', 'INFO ', 'TOTAL', 'UNI', 'GIF', '%', '\x1b', '! ', 'SS', 'BM'],
    ...['\0', '\0\0\0\0', '\x10', '\x10\x04', '\x03\0\0', '\n\n'],
  ])('that begins with %j, and no more yet, may be a receipt', (head) => {
    expect([of(head), isTelling(Buffer.from(head, 'latin1'))]).toEqual(['more', false]);
  });

  it('is not told apart before its first byte', () => {
    expect(of('')).toBe('more');
  });
});
