import { describe, expect, it } from 'vitest';
import { type Preface, prefaceOf } from '../../codecs/raw-preface.ts';

const of = (text: string) => prefaceOf(Buffer.from(text, 'latin1'));
/** What it says with every byte that comes, until it says something else than `more`. */
function decided(text: string): { preface: Preface; after: number } {
  for (let length = 1; length <= text.length; length++) {
    const preface = of(text.slice(0, length));
    if (preface !== 'more') return { preface, after: length };
  }
  return { preface: 'more', after: text.length };
}

describe('who opened port 9100', () => {
  it.each<[string, Preface]>([
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
    ['PROPFIND / HTTP/1.1\r\n', 'http'],
    ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'http'],
    ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 'tls'],
    ['\x16\x03\x00\x00S\x01\x00\x00O\x03\x00?G\xd7', 'tls'],
    ['\x16\x03\x03\x00\x41', 'tls'],
    ['SSH-2.0-OpenSSH_9.6\r\n', 'ssh'],
    ['SSH-1.99-Go\r\n', 'ssh'],
    ['\r\n\r\n', 'job'],
    ['HELP\r\n', 'job'],
    ['EHLO nmap.scanme.org\r\n', 'job'],
    ['\x1b%-12345X@PJL INFO STATUS\r\n', 'job'],
    ['\x00\x00\x00\xa4\xffSMBr\x00', 'job'],
    ['\x01default\n', 'job'],
    ['\x6c\x00\x0b\x00\x00\x00', 'job'],
    ['\x30\x0c\x02\x01\x01\x60\x07', 'job'],
    ['\x03\x00\x00\x0b\x06\xe0', 'job'],
    ['\x80\x9e\x01\x03\x01\x00u\x00', 'job'],
  ])('%j is %s', (first, wanted) => {
    expect(decided(first).preface).toBe(wanted);
    expect(of(first)).toBe(wanted);
  });

  it.each([
    ['\x1b@Hello', 1],
    ['\x1d!\x11', 1],
    ['\x10\x04\x01', 1],
    ['  Corner Shop\n', 1],
    ['Table 4\n', 2],
    ['TOTAL 5.00\n', 2],
    ['\x16\x10', 2],
    ['GET WELL SOON\n', 11],
    ['POST OFFICE\nLondon', 12],
    ['PUT ON HTTP\n', 12],
    ['GET / HTTP is a word\n', 11],
    ['SSH-Kabel 3 m\n', 5],
    ['SIPS AND BITES', 2],
    ['GET\n', 4],
  ])('%j prints, and is known for a job after %i bytes', (receipt, after) => {
    expect(decided(receipt)).toEqual({ preface: 'job', after });
  });

  it('waits for no request line beyond 2,048 bytes', () => {
    expect(of(`GET /${'a'.repeat(2042)}`)).toBe('more');
    expect(of(`GET /${'a'.repeat(2043)}`)).toBe('job');
    expect(of(`GET /${'a'.repeat(4000)} HTTP/1.1\r\n`)).toBe('job');
  });

  it('says nothing of nothing', () => {
    expect(of('')).toBe('more');
  });
});
