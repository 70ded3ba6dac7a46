/**
 * Recognises what opens port 9100 and is no job for a receipt printer, by its first bytes: other protocols, whose clients reach
 * that port too (browsers, port scanners, devices that look for others), and documents for printers of other languages. A
 * printer would print them as text. Only what no receipt begins with is told apart: a line of text that begins with `GET ` is
 * printed, and so are the opening words of protocols that could be text (LPD, memcached, Redis, EPL, ZPL commands behind `~`).
 */

/** `more`: more bytes are needed to decide. */
export type Preface = 'more' | 'job' | { readonly protocol: Protocol } | { readonly document: string };
export type Protocol =
  | 'amqp'
  | 'dns'
  | 'giop'
  | 'http'
  | 'kerberos'
  | 'ldap'
  | 'mqtt'
  | 'postgresql'
  | 'rdp'
  | 'rmi'
  | 'rpc'
  | 'smb'
  | 'ssh'
  | 'tds'
  | 'telnet'
  | 'tls'
  | 'tns'
  | 'x11';

/**
 * Request methods: HTTP and WebDAV (IANA, HTTP Method Registry), SSDP (UPnP Device Architecture 2.0, 1.3), RTSP (RFC 7826, 13),
 * SIP (IANA, SIP Methods).
 */
const METHODS =
  `GET HEAD POST PUT DELETE OPTIONS TRACE CONNECT PATCH PRI PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK SEARCH
REPORT M-SEARCH NOTIFY SUBSCRIBE UNSUBSCRIBE DESCRIBE ANNOUNCE SETUP PLAY PAUSE TEARDOWN RECORD REDIRECT GET_PARAMETER
SET_PARAMETER INVITE ACK BYE CANCEL REGISTER MESSAGE INFO REFER PRACK UPDATE PUBLISH`.split(/\s+/);
const PROTOCOLS = ['HTTP/', 'RTSP/', 'SIP/'];
/** Bytes that a request line may be long (RFC 9112, 3); what has no line end by then is a job. */
const LONGEST = 8000;

/** How documents of other languages begin, in Latin-1. */
const DOCUMENTS: ReadonlyArray<readonly [head: string, name: string]> = [
  // ISO 32000-1, 7.5.2.
  ['%PDF-', 'PDF'],
  // Adobe, Document Structuring Conventions 3.0; Windows drivers send Ctrl-D first.
  ['%!PS', 'PostScript'],
  ['\x04%!PS', 'PostScript'],
  ['%!\r', 'PostScript'],
  ['%!\n', 'PostScript'],
  // HP, Printer Job Language Technical Reference: UEL. ESC % with this n, and this text behind it, are no receipt.
  ['\x1b%-12345X', 'PJL'],
  ['@PJL ', 'PJL'],
  ['@PJL\r', 'PJL'],
  ['@PJL\n', 'PJL'],
  // HP, PCL 5 Technical Reference: reset, then another command. ESC E of ESC/POS has n there, of which ESC is none that is sent.
  ['\x1bE\x1b&', 'PCL'],
  ['\x1bE\x1b(', 'PCL'],
  ['\x1bE\x1b*', 'PCL'],
  // Zebra, ZPL II Programming Guide, ^XA, and what may stand behind it; the preamble of its Windows drivers.
  ['^XA^', 'ZPL'],
  ['^XA~', 'ZPL'],
  ['^XA\r', 'ZPL'],
  ['^XA\n', 'ZPL'],
  ['CT~~CD,', 'ZPL'],
  ['\x10CT~~CD,', 'ZPL'],
  // PWG 5102.4, 4.1, and the raster of CUPS in both byte orders.
  // HP, PCL XL Feature Reference: the binding of its stream.
  [') HP-PCL XL', 'PCL XL'],
  ['RaS2', 'PWG Raster'],
  ['2SaR', 'PWG Raster'],
  ['RaS3', 'CUPS Raster'],
  ['3SaR', 'CUPS Raster'],
  ['UNIRAST\0', 'Apple Raster'],
  ['\x89PNG\r\n\x1a\n', 'PNG'],
  ['GIF87a', 'GIF'],
  ['GIF89a', 'GIF'],
  ['\xff\xd8\xff\xe0', 'JPEG'],
  ['\xff\xd8\xff\xe1', 'JPEG'],
  ['\xff\xd8\xff\xdb', 'JPEG'],
  ['II*\0', 'TIFF'],
  ['MM\0*', 'TIFF'],
  // ZIP, APPNOTE 4.3.7: XPS and office documents.
  ['PK\x03\x04', 'XPS or ZIP'],
];

/** Openings of protocols that are bytes and no text. A `.` is any byte. */
const BYTES: ReadonlyArray<readonly [pattern: string, protocol: Protocol]> = [
  // TLS record of a handshake (RFC 8446, 5.1), and the hello of SSL 2 (RFC 6101, E).
  ['16 03', 'tls'],
  ['80 .. 01 03', 'tls'],
  // NetBIOS session message (RFC 1002, 4.3.1) with SMB 1, or 2 and 3.
  ['00 00 .. .. ff 53 4d 42', 'smb'],
  ['00 00 .. .. fe 53 4d 42', 'smb'],
  // TPKT (RFC 2126, 4.3) with a connection request (X.224).
  ['03 00 00 .. .. e0', 'rdp'],
  // Two negotiations (RFC 854).
  ['ff fb .. ff', 'telnet'],
  ['ff fd .. ff', 'telnet'],
  // A bind of DCE/RPC (The Open Group C706, 12.6), and a call of ONC RPC in one record (RFC 5531, 9 and 11).
  ['05 00 0b 03 10 00 00 00', 'rpc'],
  ['80 00 .. .. .. .. .. .. 00 00 00 00 00 00 00 02', 'rpc'],
  // A message with one question, or a status request, behind its length (RFC 1035, 4.1.1 and 4.2.2).
  ['00 .. .. .. 01 00 00 01 00 00 00 00 00 00', 'dns'],
  ['00 0c .. .. 10 00 00 00 00 00 00 00 00 00', 'dns'],
  // Bind and search (RFC 4511, 4.2 and 4.5), and AS-REQ behind its length (RFC 4120, 5.4.1 and 7.2.2).
  ['30 .. 02 01 .. 60', 'ldap'],
  ['30 84 00 00 00 .. 02 01 .. 63', 'ldap'],
  ['00 00 .. .. 6a 81', 'kerberos'],
  ['00 00 .. .. 6a 82', 'kerberos'],
  // CONNECT (MQTT 3.1.1, 3.1; 3.1 called itself MQIsdp), the header of AMQP (0-9-1, 4.2.2; 1.0, 2.2).
  ['10 .. 00 04 4d 51 54 54', 'mqtt'],
  ['10 .. 00 06 4d 51 49 73', 'mqtt'],
  ['41 4d 51 50 00', 'amqp'],
  ['41 4d 51 50 01', 'amqp'],
  // A request for TLS (PostgreSQL, 55.7), a pre-login (MS-TDS, 2.2.3.1), a connect packet of Oracle.
  ['00 00 00 08 04 d2 16 2f', 'postgresql'],
  ['12 01 00 .. 00 00 .. 00 00 00', 'tds'],
  ['00 .. 00 00 01 00 00 00 01', 'tns'],
  // The setup of a connection (X Window System Protocol, 8) in both byte orders, the stream of RMI (10.2), a message of GIOP (CORBA 15.4.1).
  ['6c 00 0b 00 00 00', 'x11'],
  ['42 00 00 0b 00 00', 'x11'],
  ['4a 52 4d 49 00 02', 'rmi'],
  ['47 49 4f 50 01', 'giop'],
];
const OPENINGS = BYTES.map(([pattern, protocol]) => ({
  bytes: pattern.split(' ').map((byte) => (byte === '..' ? undefined : Number.parseInt(byte, 16))),
  protocol,
}));

const SSH = 'SSH-';

/** `bytes`: all bytes so far. Decides after 8,000 bytes at most, and at the first byte where nothing known begins so. */
export function prefaceOf(bytes: Uint8Array): Preface {
  if (bytes.length === 0) return 'more';
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, LONGEST)).toString('latin1');
  // A server ignores line ends before a request line (RFC 9112, 2.2), and so do printers of labels; NUL keeps a line awake.
  const line = text.replace(/^[\0\r\n]+/, '');
  // The caller answers a whole status request and takes it out; what follows it may be a request line.
  let undecided = line === '' || line === '\x10' || line === '\x10\x04';
  for (const read of [opening(bytes), document(line), sshBanner(line), requestLine(line)]) {
    if (typeof read === 'object') return read;
    undecided ||= read === 'more';
  }
  return undecided && bytes.length < LONGEST ? 'more' : 'job';
}

/** The fewest bytes of a head that say more than a word or a command of a receipt does: fewer where they begin with no letter. */
const TELLING = 3;
/** Bytes of an opening that say enough where one of them is no NUL. */
const TELLING_BYTES = 4;
/** Methods that no receipt has as a word of its own. */
const NO_WORDS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'PATCH',
  'PROPFIND',
  'M-SEARCH',
];

/** Whether bytes of which `prefaceOf` says `more` can be little else than such an opening: the rest of them may be on its way. */
export function isTelling(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, LONGEST)).toString('latin1');
  const line = text.replace(/^[\0\r\n]+/, '');
  const [method = '', target] = splitTwice(line);
  if (NO_WORDS.includes(method) && (target === '' || (target !== undefined && method === 'CONNECT'))) return true;
  // A path, the asterisk, or an address with its scheme, behind a method.
  if (OTHER_METHOD.test(method) && /^(?:\/|\*|[a-z]+:)/.test(target ?? '')) return true;
  // The banner, the line that begins CPCL, the size of a bitmap file.
  if (/^SSH|^! \d+ |^BM.{0,3}[^ -~]/s.test(line)) return true;
  // `UNI` and `GIF` begin words.
  if (/^[A-Z]*$/.test(line) && line.length <= TELLING) return false;
  const isSign = /^[^A-Za-z]./s.test(line);
  if ((isSign || line.length >= TELLING) && DOCUMENTS.some(([head]) => head.startsWith(line))) return true;
  return OPENINGS.some(({ bytes: opening }) => {
    if (opening.length < bytes.length) return false;
    if (!opening.every((byte, at) => at >= bytes.length || byte === undefined || byte === bytes[at])) return false;
    const known = opening.slice(0, bytes.length).filter((byte) => byte !== undefined && byte !== 0).length;
    return known >= TELLING || (known > 0 && bytes.length >= TELLING_BYTES);
  });
}

function opening(sent: Uint8Array): Preface {
  let more = false;
  for (const { bytes, protocol } of OPENINGS) {
    if (!bytes.every((byte, at) => at >= sent.length || byte === undefined || byte === sent[at])) continue;
    if (sent.length >= bytes.length) return { protocol };
    more = true;
  }
  return more ? 'more' : 'job';
}

function document(text: string): Preface {
  if (text === '') return 'more';
  let more = false;
  for (const [head, name] of DOCUMENTS) {
    if (text.startsWith(head)) return { document: name };
    more ||= head.startsWith(text);
  }
  // Zebra, CPCL Programming Guide: `! offset resolution resolution height quantity`, a line of its own.
  if (/^! \d+ \d+ \d+ \d+ \d+ *\r?\n/.test(text)) return { document: 'CPCL' };
  if (text.length < 80 && /^!(?: [\d ]*\r?)?$/.test(text)) return 'more';
  // A bitmap file (Windows): its size, four bytes of NUL, and where its dots begin.
  if (/^BM.{4}\0{4}/s.test(text)) return { document: 'BMP' };
  return more || /^B(?:M(?:.{0,4}|.{4}\0{0,3}))?$/s.test(text) ? 'more' : 'job';
}

/** RFC 4253, 4.2. */
function sshBanner(text: string): Preface {
  if (/^SSH-\d\.\d+-/.test(text)) return { protocol: 'ssh' };
  if (text.length <= SSH.length) return SSH.startsWith(text) ? 'more' : 'job';
  return /^SSH-(?:\d(?:\.\d{0,2})?)?$/.test(text) ? 'more' : 'job';
}

/** A method that the lists lack (RFC 9110, 16.1.1); what follows has to look like a path then. */
const OTHER_METHOD = /^[A-Z][A-Z_-]{0,31}$/;

/** RFC 9112, 3: method SP request-target SP HTTP-version CRLF. RTSP and SIP have lines of the same form. */
function requestLine(text: string): Preface {
  const [method = '', target, version] = splitTwice(text);
  if (target === undefined)
    return METHODS.some((known) => known.startsWith(method)) || OTHER_METHOD.test(method) ? 'more' : 'job';
  const isMethod = METHODS.includes(method) || (OTHER_METHOD.test(method) && /^(?:$|\/|\*$)/.test(target));
  if (!isMethod || !/^[\x21-\x7e\x80-\xff]*$/.test(target)) return 'job';
  if (version === undefined) return 'more';
  if (target === '') return 'job';
  for (const protocol of PROTOCOLS) {
    if (version.length <= protocol.length && protocol.startsWith(version)) return 'more';
    if (!version.startsWith(protocol)) continue;
    const number = version.slice(protocol.length);
    if (/^\d\.\d\r?\n/.test(number)) return { protocol: 'http' };
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
