/**
 * The length of every ESC/POS command. The tokenizer needs it to separate a byte stream into commands, payloads and
 * text. Lengths are in bytes and include the lead bytes; numbers in a header are little-endian. Of the lead byte US (1F)
 * only what clones read as settings is listed: otherwise it opens commands of a customer display, and a printer ignores it.
 *
 * Sources: Epson manuals TM-T88III, TM-T85, TM-T81, TM-T90, TM-L60II, TM-U220, TM-U295, TM-J2000 and TM-H5000, the
 * Bixolon SRP-275 and SRP-330II, Citizen CT-S300, HPRT TP80K, ECLINE EC-80, HCC POS80B and Woosim (ESC Z) manuals; kunif EscPosUtils (tokenizers
 * and their tests), mike42 escpos-tools, python-escpos constants, ReceiptPrinterEncoder. US ESC US and ESC # #: what the setting
 * programs and SDKs of Xprinter, Zijiang, Munbyn, Gprinter and SPRT send, as public programs repeat it; Bixolon, USB commands 2.31.
 */

/** How the bytes after the header are counted. `at`, `x` and `y` are offsets from the first lead byte. */
export type PayloadForm =
  /** `unit` times the number at `at`; `inHeader` of the counted bytes belong to the header itself. */
  | {
      readonly form: 'counted';
      readonly at: number;
      readonly width: 1 | 2 | 4;
      readonly unit: number;
      readonly inHeader?: number;
    }
  /** `unit` times the product of two numbers. */
  | { readonly form: 'area'; readonly x: number; readonly y: number; readonly width: 1 | 2; readonly unit: number }
  /** ESC &: for each character a width byte x, then x times y bytes. The header includes the first width. */
  | { readonly form: 'characters' }
  /** FS q: for each image xL xH yL yH, then 8xy bytes. The header includes the first size. */
  | { readonly form: 'images' }
  | { readonly form: 'fixed'; readonly bytes: number }
  /** ESC D: at most 32 ascending columns, ended by NUL or by a byte that does not ascend. */
  | { readonly form: 'tabs' }
  /** GS k function A: printable data ended by NUL. */
  | { readonly form: 'list' };

/**
 * An answer to a command, as the back-channel tells it (escpos-status.ts). `byte`: one byte. `info`: 5F text 00. `processId`:
 * 37 22 d1..d4 00. `memorySwitch`: 37 21 .. 00.
 */
export type AskedType = 'byte' | 'info' | 'processId' | 'memorySwitch';

/** What a command does that the filter on port 9100 has to know. */
export type CommandRole =
  /** Nothing of what follows. */
  | 'none'
  | 'pulse'
  | 'realtime'
  | 'realtimeSwitch'
  /** Changes the printer for good: its settings or what its memory keeps. */
  | 'settings'
  /** Settings again; one of its functions begins a mode in which the printer prints nothing. */
  | 'setup'
  /** Graphics, of which two functions delete what is stored. */
  | 'graphics'
  | 'status'
  | 'initialize'
  | 'peripheral'
  | 'macro'
  | 'runMacro'
  | 'printLine'
  | 'lineStart'
  /** As `lineStart`; and its data are known before it is sent. */
  | 'barcode'
  /** Puts something into the line, as text does. */
  | 'inLine'
  /** Defines a picture where the line is empty; elsewhere its data are none, and obeyed. */
  | 'download'
  | 'pageMode'
  | 'standardMode'
  /** Begins and ends the mode in which two bytes are one character, both of them letters of ASCII (JIS). */
  | 'pairs'
  | 'noPairs'
  /** Selects which bytes are characters of Japan: JIS or Shift JIS. */
  | 'kanjiCode'
  /** One of its functions selects UTF-8, in which none of the three above counts. */
  | 'encoding'
  | 'list'
  | 'cut';

export interface EscposCommand {
  readonly name: string;
  /** Lead bytes in hexadecimal. The longest match wins. */
  readonly prefix: string;
  /** Length of the header: of the whole command, where it has no payload. */
  readonly head: number;
  readonly payload: PayloadForm | undefined;
  readonly role: CommandRole;
  /** Moves the paper or prints what the printer has: no cut, and no picture that is sent with it. */
  readonly prints: boolean;
  /** Where its dots come from, if it is sure to leave some on the paper or in the page; undefined of all others. */
  readonly ink: Ink | undefined;
  /**
   * Whether the parameters of the header that begins at an index, and the data of a bar code, are within the range of some
   * manual; undefined where every value is. Outside of that range makers differ: one printer counts what follows by the
   * header, another one ignores the header and obeys what follows.
   */
  readonly allows: Allows | undefined;
  /** What the printer answers to the one that begins at an index; left out: nothing, or nothing that is known. */
  readonly answers: Answers | undefined;
  /** Some function of it transmits something, which `answers` need not know. */
  readonly transmits: boolean;
  /** Where the byte is that switches automatic status on, from the first lead byte; 0 of commands that do not. */
  readonly automaticAt: number;
  /** Stores what comes with it, and prints nothing of it. */
  readonly stores: boolean;
  /** Only sets something for what follows: all of the fields above say nothing of it, but for its name and length. */
  readonly isSetting: boolean;
}

/** `data`: a dot for each bit of its data. `graphics`: what its functions have stored before. `page`: what stands in the page. */
export type Ink = 'data' | 'graphics' | 'page';

type Allows = (bytes: Uint8Array, at: number) => boolean;
type Answers = (bytes: Uint8Array, at: number) => AskedType | undefined;
type Extra = Partial<Pick<EscposCommand, 'payload' | 'role' | 'prints' | 'ink' | 'allows' | 'answers'>>;
/** Commands with a bracket, GS 8 L, FS a and FS b, DLE DC4 7. */
const TRANSMITS = /^(?:1[bcd]28|1d38|1c61|1c62|101407)/;
/** GS a, GS j and DLE DC4 7. */
const AUTOMATIC = ['1d61', '1d6a', '101407'];
/** ESC &, FS 2 and GS *: characters and small pictures, which other commands print. */
const STORING = ['1b26', '1c32', '1d2a'];

/** Every row has every field, in the same order, and a name for its role: the filter reads and compares them several times faster so. */
const row = (
  prefix: string,
  head: number,
  name: string,
  { payload, role = 'none', prints = false, ink, allows, answers }: Extra = {},
): EscposCommand => {
  const transmits = answers !== undefined || TRANSMITS.test(prefix);
  const automaticAt = AUTOMATIC.includes(prefix) ? prefix.length / 2 : 0;
  const stores = STORING.includes(prefix);
  const says = [payload, ink, allows, role !== 'none', prints, transmits, automaticAt, stores];
  const isSetting = !says.some(Boolean);
  return { name, prefix, head, payload, role, prints, ink, allows, answers, transmits, automaticAt, stores, isSetting };
};

const u16 = (bytes: Uint8Array, at: number): number => bytes[at]! | (bytes[at + 1]! << 8);
/** ESC & y c1 c2: 1 to 4 bytes a column, characters in ascending order (TM-T88III: 2 and 3, TM-U220: 2, 20h to 7Eh). */
const allowsCharacters: Allows = (b, at) =>
  b[at + 2]! >= 1 && b[at + 2]! <= 4 && b[at + 3]! >= 0x20 && b[at + 3]! <= b[at + 4]!;
/** xL xH yL yH: 8 to 8,184 by 8 to 2,304 dots (TM-T88III). */
export const allowsImage: Allows = (b, at) => {
  const [x, y] = [u16(b, at), u16(b, at + 2)];
  return x >= 1 && x <= 1023 && y >= 1 && y <= 288;
};
/** FS q n: at least one image. */
const allowsImages: Allows = (b, at) => b[at + 2]! >= 1 && allowsImage(b, at + 3);
/** GS v 0 m: 0 to 3, as a number or as its digit. */
const allowsRaster: Allows = (b, at) => b[at + 3]! <= 3 || (b[at + 3]! >= 0x30 && b[at + 3]! <= 0x33);
/** ESC Z v r k nL nH (Woosim): a module of 1 to 8 dots, and no more data than a QR code has digits. */
const allowsSymbol: Allows = (b, at) => b[at + 4]! >= 1 && b[at + 4]! <= 8 && u16(b, at + 5) <= 7089;
/**
 * GS k m n: data that a code cannot hold end it, and the rest is obeyed (TM-T88III). Code 93, Code 128 and GS1-128 hold ASCII, Code
 * 128 by the printer any byte, the others no control character.
 */
const allowsBarcode: Allows = (b, at) => {
  const m = b[at + 2]!;
  const holds = m === 79 ? 0x100 : m >= 72 && m <= 74 ? 0x80 : 0;
  const end = Math.min(b.length, at + 4 + b[at + 3]!);
  let index = at + 4;
  while (index < end && b[index]! < holds) index += 1;
  while (index < end && b[index]! >= 0x20) index += 1;
  return index >= end;
};

/** GS I n: ids of one byte, and texts (TM-T88III; others by the model). */
const answersId: Answers = (b, at) => {
  const n = b[at + 2]!;
  if (n >= 65 && n <= 69) return 'info';
  return (n >= 1 && n <= 3) || (n >= 49 && n <= 51) ? 'byte' : undefined;
};
/** GS r n: the sensors of the paper, the drawer, the ink. */
const answersStatus: Answers = (b, at) => ([1, 2, 4, 49, 50, 52].includes(b[at + 2]!) ? 'byte' : undefined);
const answersPeripheral: Answers = (b, at) => (b[at + 2] === 0 || b[at + 2] === 48 ? 'byte' : undefined);
const answersByte: Answers = () => 'byte';
const answersText: Answers = () => 'info';
/** GS ( H: function 48, not 49. GS ( E: function 4, which reads a memory switch. */
const answersProcess: Answers = (b, at) => (b[at + 5] === 49 ? undefined : 'processId');
const answersSwitch: Answers = (b, at) => (b[at + 5] === 4 ? 'memorySwitch' : undefined);

const counted = (at: number, width: 1 | 2 | 4, unit = 1, inHeader = 0): PayloadForm => ({
  form: 'counted',
  at,
  width,
  unit,
  inHeader,
});
const area = (x: number, y: number, width: 1 | 2, unit = 1): PayloadForm => ({ form: 'area', x, y, width, unit });
/** One row for each value of the last lead byte. */
const rows = (prefix: string, from: number, to: number, make: (prefix: string) => EscposCommand): EscposCommand[] =>
  Array.from({ length: to - from + 1 }, (_, i) => make(prefix + (from + i).toString(16).padStart(2, '0')));

const DLE: readonly EscposCommand[] = [
  row('1004', 3, 'DLE EOT n transmit real-time status', { role: 'status' }),
  ...rows('1005', 0, 3, (p) => row(p, 3, 'DLE ENQ n real-time request')),
  row('101401', 5, 'DLE DC4 1 m t real-time pulse', { role: 'pulse' }),
  row('101402', 5, 'DLE DC4 2 1 8 power off', { role: 'realtime' }),
  row('101403', 8, 'DLE DC4 3 a n r t1 t2 buzzer'),
  row('101407', 4, 'DLE DC4 7 m transmit specified status'),
  row('101408', 10, 'DLE DC4 8 d1..d7 clear buffer', { role: 'realtime' }),
];

/** Settings of clones. The length of those with a function that is not listed is not known: what follows them is text. */
const US: readonly EscposCommand[] = [
  row('1f1b101314', 6, 'US ESC DLE addresses by DHCP', { role: 'settings' }),
  row('1f1b1f', 4, 'US ESC US settings', { role: 'settings' }),
  row('1f1b1f1111', 6, 'US ESC US 11 factory settings', { role: 'settings' }),
  row('1f1b1f1314', 6, 'US ESC US 13 density', { role: 'settings' }),
  row('1f1b1f22', 4, 'US ESC US 22 address', { payload: { form: 'fixed', bytes: 4 }, role: 'settings' }),
  row('1f1b1f271314', 8, 'US ESC US 27 restart', { role: 'settings' }),
  row('1f1b1f80040506', 8, 'US ESC US 80 black mark', { role: 'settings' }),
  row('1f1b1f91004950', 7, 'US ESC US 91 IP address', { payload: { form: 'fixed', bytes: 4 }, role: 'settings' }),
  ...rows('1f1b1f', 0xb0, 0xb1, (p) =>
    row(p, 4, 'US ESC US netmask or gateway', { payload: { form: 'fixed', bytes: 4 }, role: 'settings' }),
  ),
  row('1f1b1fb2', 4, 'US ESC US B2 addresses', { payload: { form: 'fixed', bytes: 12 }, role: 'settings' }),
  row('1f1b1fe01314', 10, 'US ESC US E0 beeper', { role: 'settings' }),
  row('1f1b1fe11314', 7, 'US ESC US E1 paper width', { role: 'settings' }),
  // In TSPL, which it can select, a line of text opens the drawer.
  row('1f1b1ffc', 8, 'US ESC US FC language', { role: 'pulse' }),
  row('1f1b1fff', 7, 'US ESC US FF code page', { role: 'settings' }),
];

const ESC: readonly EscposCommand[] = [
  row('1b0c', 2, 'ESC FF print page', { prints: true, ink: 'page' }),
  row('1b20', 3, 'ESC SP right spacing'),
  row('1b21', 3, 'ESC ! print mode'),
  // A function of four letters; its values follow, one to four bytes that are text to the filter.
  row('1b2323', 7, 'ESC # # settings (clones)', { role: 'settings' }),
  row('1b24', 4, 'ESC $ absolute position'),
  row('1b25', 3, 'ESC % user-defined set'),
  row('1b26', 6, 'ESC & define user-defined characters', {
    payload: { form: 'characters' },
    allows: allowsCharacters,
  }),
  row('1b28', 5, 'ESC ( fn', { payload: counted(3, 2) }),
  row('1b2a', 3, 'ESC * bit image of no known density'),
  ...rows('1b2a', 0x00, 0x01, (p) =>
    row(p, 5, 'ESC * 8-dot bit image', { payload: counted(3, 2), role: 'inLine', ink: 'data' }),
  ),
  ...rows('1b2a', 0x20, 0x21, (p) =>
    row(p, 5, 'ESC * 24-dot bit image', { payload: counted(3, 2, 3), role: 'inLine', ink: 'data' }),
  ),
  row('1b2d', 3, 'ESC - underline'),
  row('1b32', 2, 'ESC 2 default line spacing'),
  row('1b33', 3, 'ESC 3 line spacing'),
  row('1b37', 5, 'ESC 7 heat (clones)'),
  row('1b3c', 2, 'ESC < return home'),
  row('1b3d', 3, 'ESC = select peripheral device', { role: 'peripheral' }),
  row('1b3f', 3, 'ESC ? cancel user-defined character'),
  row('1b40', 2, 'ESC @ initialize', { role: 'initialize' }),
  row('1b42', 4, 'ESC B beeper (clones)'),
  row('1b43', 3, 'ESC C slip eject length'),
  row('1b44', 2, 'ESC D horizontal tabs', { payload: { form: 'tabs' } }),
  row('1b45', 3, 'ESC E emphasized'),
  row('1b46', 3, 'ESC F slip reverse eject'),
  row('1b47', 3, 'ESC G double strike'),
  row('1b4a', 3, 'ESC J print and feed n units', { role: 'printLine', prints: true }),
  row('1b4b', 3, 'ESC K print and reverse feed', { prints: true }),
  row('1b4c', 2, 'ESC L page mode', { role: 'pageMode' }),
  row('1b4d', 3, 'ESC M font'),
  row('1b52', 3, 'ESC R international set'),
  row('1b53', 2, 'ESC S standard mode', { role: 'standardMode' }),
  row('1b54', 3, 'ESC T page direction'),
  row('1b55', 3, 'ESC U unidirectional'),
  row('1b56', 3, 'ESC V 90 degrees'),
  row('1b57', 10, 'ESC W page area'),
  row('1b5c', 4, 'ESC \\ relative position'),
  row('1b5a', 7, 'ESC Z two-dimensional bar code (clones)', { payload: counted(5, 2), allows: allowsSymbol }),
  row('1b61', 3, 'ESC a justification'),
  row('1b6330', 4, 'ESC c 0 paper for printing'),
  row('1b6331', 4, 'ESC c 1 paper for settings'),
  row('1b6333', 4, 'ESC c 3 paper-end signal'),
  row('1b6334', 4, 'ESC c 4 sensors that stop printing'),
  row('1b6335', 4, 'ESC c 5 panel buttons'),
  row('1b64', 3, 'ESC d print and feed n lines', { role: 'printLine', prints: true }),
  row('1b65', 3, 'ESC e print and reverse feed n lines', { prints: true }),
  row('1b66', 4, 'ESC f slip wait'),
  row('1b69', 2, 'ESC i partial cut', { role: 'cut' }),
  row('1b6d', 2, 'ESC m partial cut', { role: 'cut' }),
  row('1b70', 5, 'ESC p m t1 t2 generate pulse', { role: 'pulse' }),
  row('1b71', 2, 'ESC q release slip'),
  row('1b72', 3, 'ESC r print colour'),
  row('1b74', 3, 'ESC t code table'),
  row('1b75', 3, 'ESC u transmit peripheral status', { answers: answersPeripheral }),
  row('1b76', 2, 'ESC v transmit paper status', { answers: answersByte }),
  row('1b7b', 3, 'ESC { upside-down'),
];

const FS: readonly EscposCommand[] = [
  row('1c21', 3, 'FS ! kanji print mode'),
  row('1c26', 2, 'FS & kanji on', { role: 'pairs' }),
  row('1c28', 5, 'FS ( fn', { payload: counted(3, 2) }),
  row('1c2843', 5, 'FS ( C character encoding', { payload: counted(3, 2), role: 'encoding' }),
  row('1c2845', 5, 'FS ( E receipt enhancement', { payload: counted(3, 2), role: 'settings' }),
  row('1c2d', 3, 'FS - kanji underline'),
  row('1c2e', 2, 'FS . kanji off', { role: 'noPairs' }),
  row('1c32', 4, 'FS 2 define user-defined kanji', { payload: { form: 'fixed', bytes: 72 } }),
  row('1c3f', 4, 'FS ? cancel user-defined kanji'),
  row('1c43', 3, 'FS C kanji code system', { role: 'kanjiCode' }),
  row('1c4c', 2, 'FS L double-density page'),
  row('1c53', 4, 'FS S kanji spacing'),
  row('1c57', 3, 'FS W quadruple size'),
  row('1c6130', 4, 'FS a 0 read cheque'),
  row('1c6131', 3, 'FS a 1 load cheque'),
  row('1c6132', 3, 'FS a 2 eject cheque'),
  row('1c62', 2, 'FS b transmit cheque result'),
  row('1c63', 2, 'FS c clean MICR'),
  row('1c6731', 10, 'FS g 1 write NV user memory', { payload: counted(8, 2), role: 'settings' }),
  row('1c6732', 10, 'FS g 2 read NV user memory', { answers: answersText }),
  row('1c70', 4, 'FS p print NV bit image', { prints: true }),
  row('1c71', 7, 'FS q define NV bit images', { payload: { form: 'images' }, allows: allowsImages }),
];

const GS: readonly EscposCommand[] = [
  row('1d21', 3, 'GS ! character size'),
  row('1d24', 4, 'GS $ absolute vertical position'),
  row('1d28', 5, 'GS ( fn', { payload: counted(3, 2) }),
  // What of these changes the printer for good stands in the README of the printer room, with the manuals.
  row('1d2841', 5, 'GS ( A test print', { payload: counted(3, 2), role: 'settings' }),
  row('1d2843', 5, 'GS ( C edit NV user memory', { payload: counted(3, 2), role: 'settings' }),
  row('1d2845', 5, 'GS ( E user setup', { payload: counted(3, 2), role: 'setup', answers: answersSwitch }),
  row('1d2848', 5, 'GS ( H request response', { payload: counted(3, 2), answers: answersProcess }),
  row('1d284c', 5, 'GS ( L graphics', { payload: counted(3, 2), role: 'graphics', ink: 'graphics' }),
  row('1d284d', 5, 'GS ( M customize printer', { payload: counted(3, 2), role: 'settings' }),
  row('1d2844', 5, 'GS ( D enable or disable real-time commands', { payload: counted(3, 2), role: 'realtimeSwitch' }),
  row('1d2a', 4, 'GS * define downloaded bit image', {
    payload: { form: 'area', x: 2, y: 3, width: 1, unit: 8 },
    role: 'download',
  }),
  row('1d2f', 3, 'GS / print downloaded bit image', { prints: true }),
  row('1d384c', 7, 'GS 8 L graphics', { payload: counted(3, 4), role: 'graphics', ink: 'graphics' }),
  row('1d3a', 2, 'GS : start or end macro definition', { role: 'macro' }),
  row('1d42', 3, 'GS B reverse'),
  row('1d4330', 5, 'GS C 0 counter print mode'),
  row('1d4331', 9, 'GS C 1 count mode'),
  row('1d4332', 5, 'GS C 2 counter value'),
  row('1d433b', 3, 'GS C ; count mode in digits'),
  row('1d4430', 15, 'GS D define Windows BMP graphics', {
    payload: counted(11, 4, 1, 6),
    role: 'download',
  }),
  row('1d45', 3, 'GS E head control'),
  row('1d48', 3, 'GS H HRI position'),
  row('1d49', 3, 'GS I transmit printer id', { answers: answersId }),
  row('1d4c', 4, 'GS L left margin'),
  row('1d50', 4, 'GS P motion units'),
  row('1d5130', 8, 'GS Q 0 variable vertical bit image', {
    payload: area(4, 6, 2),
    role: 'lineStart',
    ink: 'data',
  }),
  row('1d54', 3, 'GS T to beginning of line'),
  ...['00', '01', '30', '31'].map((m) => row(`1d56${m}`, 3, 'GS V cut', { role: 'cut' })),
  ...['41', '42', '61', '62', '67', '68'].map((m) => row(`1d56${m}`, 4, 'GS V feed and cut', { role: 'cut' })),
  row('1d57', 4, 'GS W print area width'),
  row('1d5c', 4, 'GS \\ relative vertical position'),
  row('1d5e', 5, 'GS ^ execute macro', { role: 'runMacro', prints: true }),
  // Of a printer that lacks it, Z is text.
  ...rows('1d5a', 0, 2, (p) => row(p, 3, 'GS Z two-dimensional symbology (clones)', { role: 'inLine' })),
  row('1d61', 3, 'GS a automatic status back'),
  row('1d62', 3, 'GS b smoothing'),
  row('1d63', 2, 'GS c print counter', { role: 'inLine' }),
  row('1d66', 3, 'GS f HRI font'),
  row('1d6730', 6, 'GS g 0 initialize maintenance counter', { role: 'settings' }),
  row('1d6732', 6, 'GS g 2 transmit maintenance counter', { answers: answersText }),
  row('1d68', 3, 'GS h bar code height'),
  // In ESC/Bematech, which they can select, ESC v opens the drawer (Bematech MP-4200 TH Programmer's Manual).
  row('1df920', 4, 'GS F9 20 command set, for good', { role: 'pulse' }),
  row('1df935', 4, 'GS F9 35 command set, until the power goes', { role: 'pulse' }),
  row('1d6a', 3, 'GS j ink status back'),
  row('1d6b', 3, 'GS k bar code of no known symbology'),
  ...rows('1d6b', 0x00, 0x0f, (p) =>
    row(p, 3, 'GS k bar code, function A', { payload: { form: 'list' }, role: 'list', prints: true }),
  ),
  ...rows('1d6b', 0x41, 0x4f, (p) =>
    row(p, 4, 'GS k bar code, function B', { payload: counted(3, 1), role: 'barcode', allows: allowsBarcode }),
  ),
  row('1d72', 3, 'GS r transmit status', { answers: answersStatus }),
  row('1d7630', 8, 'GS v 0 raster bit image', {
    payload: area(4, 6, 2),
    role: 'lineStart',
    ink: 'data',
    allows: allowsRaster,
  }),
  row('1d77', 3, 'GS w bar code width'),
  row('1d7a', 5, 'GS z recovery wait'),
  row('1d7c', 3, 'GS | density (clones)'),
];

/** Every known command, in no order that matters: the tokenizer looks for the longest matching prefix. */
export const ESCPOS_COMMANDS: readonly EscposCommand[] = [...DLE, ...ESC, ...FS, ...GS, ...US];

/** Bytes of the longest header: the most that a printer can still expect when a job ended inside a header. */
export const LONGEST_HEADER = Math.max(...ESCPOS_COMMANDS.map(({ head }) => head));
