/**
 * Recognises the protocol of a connection to port 9100 by its first bytes. Browsers and port scanners reach that port, too,
 * and a printer would print what they send. Request line: RFC 9112, 3; TLS record of a ClientHello: RFC 8446, 5.1; SSH
 * identification: RFC 4253, 4.2.
 */

/** `more`: more bytes are needed to decide. `http`: also RTSP and SIP, whose request lines have the same form. */
export type Preface = 'http' | 'tls' | 'ssh' | 'more' | 'job';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT', 'PATCH', 'PROPFIND', 'PRI'];
const PROTOCOLS = ['HTTP/', 'RTSP/', 'SIP/'];
const SSH = 'SSH-';
/** Bytes of the longest request line; what has no line end by then is a job. */
const LONGEST = 2048;
const TLS_HANDSHAKE = 0x16;

/** `bytes`: all bytes so far. Decides after 2,048 bytes at most, and at the first byte where that begins no known protocol. */
export function prefaceOf(bytes: Uint8Array): Preface {
  if (bytes.length === 0) return 'more';
  if (bytes[0] === TLS_HANDSHAKE) {
    // ContentType handshake, then the major version of every TLS (RFC 8446, 5.1).
    if (bytes.length === 1) return 'more';
    return bytes[1] === 0x03 ? 'tls' : 'job';
  }
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, LONGEST)).toString('latin1');
  const preface = text.startsWith('S') ? sshBanner(text) : requestLine(text);
  return preface === 'more' && bytes.length >= LONGEST ? 'job' : preface;
}

/** RFC 4253, 4.2. */
function sshBanner(text: string): Preface {
  if (text.length <= SSH.length) return SSH.startsWith(text) ? 'more' : 'job';
  if (/^SSH-\d\.\d+-/.test(text)) return 'ssh';
  return /^SSH-(?:\d(?:\.\d{0,2})?)?$/.test(text) ? 'more' : 'job';
}

/** RFC 9112, 3: method SP request-target SP HTTP-version CRLF. */
function requestLine(text: string): Preface {
  const [method = '', target, version] = splitTwice(text);
  if (target === undefined) return METHODS.some((known) => known.startsWith(method)) ? 'more' : 'job';
  if (!METHODS.includes(method) || !/^[\x21-\x7e\x80-\xff]*$/.test(target)) return 'job';
  if (version === undefined) return 'more';
  if (target === '') return 'job';
  for (const protocol of PROTOCOLS) {
    if (version.length <= protocol.length && protocol.startsWith(version)) return 'more';
    if (!version.startsWith(protocol)) continue;
    const number = version.slice(protocol.length);
    if (/^\d\.\d\r?\n/.test(number)) return 'http';
    if (/^\d(?:\.(?:\d\r?)?)?$/.test(number)) return 'more';
  }
  return 'job';
}

function splitTwice(text: string): [string, string?, string?] {
  const first = text.indexOf(' ');
  if (first < 0) return [text];
  const second = text.indexOf(' ', first + 1);
  if (second < 0) return [text.slice(0, first), text.slice(first + 1)];
  return [text.slice(0, first), text.slice(first + 1, second), text.slice(second + 1)];
}
