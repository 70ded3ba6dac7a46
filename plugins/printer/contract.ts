/** JSON Schemas of the printing routes (specification 2.3 to 2.5); validator, types, OpenAPI and client come from them. */

import { type Static, Type } from '@sinclair/typebox';
import type { SyncHook } from 'tapable';
import type { DrawnText } from '../../codecs/escpos-encoder.ts';
import type { Dither, PictureFault } from '../../codecs/picture.ts';
import type { Bitmap } from '../../codecs/raster.ts';
import { closed, open, tagged } from '../../runtime/base/schema.ts';

const Align = Type.Union([Type.Literal('left'), Type.Literal('center'), Type.Literal('right')]);
// Apart from the schemas, which an image does not carry.
export const ID_LENGTH = 128;
export const ENDPOINT_LENGTH = 64;
export const CommandId = Type.String({ minLength: 1, maxLength: ID_LENGTH });
export const EndpointId = Type.String({ minLength: 1, maxLength: ENDPOINT_LENGTH });

/** A text, wrapped to the width of the line; sizes are multiples of the character cell. */
export const TextLine = closed({
  type: Type.Literal('text'),
  value: Type.String({ maxLength: 8192 }),
  bold: Type.Optional(Type.Boolean()),
  underline: Type.Optional(Type.Boolean()),
  invert: Type.Optional(Type.Boolean()),
  align: Type.Optional(Align),
  size: Type.Optional(
    Type.String({
      pattern: '^([1-8]x|[1-8]x[1-8])$',
      description: '1x to 8x both ways, or WxH such as 2x1',
    }),
  ),
  font: Type.Optional(Type.Union([Type.Literal('a'), Type.Literal('b')])),
});

/** Texts side by side in cells; widths are in characters. */
export const ColumnsLine = closed({
  type: Type.Literal('columns'),
  cells: Type.Array(
    closed({
      value: Type.String({ maxLength: 2048 }),
      width: Type.Optional(Type.Integer({ minimum: 1, maximum: 96 })),
      align: Type.Optional(Align),
      bold: Type.Optional(Type.Boolean()),
    }),
    { minItems: 1, maxItems: 16 },
  ),
});

/** A text in block letters. */
export const BannerLine = closed({
  type: Type.Literal('banner'),
  value: Type.String({ minLength: 1, maxLength: 64 }),
  align: Type.Optional(Align),
});

/** A horizontal line. */
export const RuleLine = closed({
  type: Type.Literal('rule'),
  style: Type.Optional(Type.Union([Type.Literal('single'), Type.Literal('double'), Type.Literal('dashed')])),
});

/** Blank lines. */
export const FeedLine = closed({
  type: Type.Literal('feed'),
  lines: Type.Optional(Type.Integer({ minimum: 1, maximum: 255 })),
});

/** Cuts the paper. */
export const CutLine = closed({
  type: Type.Literal('cut'),
  mode: Type.Optional(Type.Union([Type.Literal('full'), Type.Literal('partial')])),
});

export const Symbology = Type.Union(
  (
    [
      ...(['qr', 'pdf417', 'ean13', 'ean8', 'upca', 'upce', 'code39', 'code93', 'code128', 'itf', 'codabar'] as const),
      ...(['gs1-128', 'gs1-databar', 'gs1-databar-expanded', 'datamatrix', 'aztec'] as const),
    ] as const
  ).map((name) => Type.Literal(name)),
);

/** A bar code, QR Code or another symbol; GS1 data has its application identifiers in brackets, as `(01)…(10)…`. */
export const BarcodeLine = closed({
  type: Type.Literal('barcode'),
  symbology: Symbology,
  value: Type.String({ minLength: 1, maxLength: 7089 }),
  align: Type.Optional(Align),
  height: Type.Optional(Type.Integer({ minimum: 1, maximum: 255, description: 'dots, one-dimensional symbologies' })),
  moduleWidth: Type.Optional(
    Type.Integer({
      minimum: 2,
      maximum: 6,
      description: 'dots, one-dimensional symbologies',
    }),
  ),
  hri: Type.Optional(
    Type.Union([Type.Literal('none'), Type.Literal('above'), Type.Literal('below'), Type.Literal('both')]),
  ),
  size: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 16,
      description: 'module size in dots, two-dimensional symbologies',
    }),
  ),
  errorCorrection: Type.Optional(
    Type.Union([Type.Literal('l'), Type.Literal('m'), Type.Literal('q'), Type.Literal('h')]),
  ),
});

/** A bitmap in base64: one bit a dot, rows padded to a byte, 1 is black. */
export const RasterLine = closed({
  type: Type.Literal('raster'),
  width: Type.Integer({ minimum: 1, maximum: 2040, description: 'dots' }),
  height: Type.Integer({ minimum: 1, maximum: 65535, description: 'rows' }),
  data: Type.String({ description: '1 bit a dot, most significant first, rows padded to a byte, base64' }),
  align: Type.Optional(Align),
});

/** The seven line types of the specification, and `columns`. */
export const Line = tagged(
  'type',
  [TextLine, ColumnsLine, BannerLine, RuleLine, FeedLine, CutLine, BarcodeLine, RasterLine],
  { $id: 'Line' },
);
export type Line = Static<typeof Line>;

const LINES: Line[] = [
  { type: 'text', value: 'LE PETIT CAFÉ', align: 'center', bold: true },
  { type: 'columns', cells: [{ value: '2 Café crème' }, { value: '5,40 €', width: 10, align: 'right' }] },
  { type: 'cut' },
];
const Lines = Type.Array(Line, { minItems: 1, maxItems: 8192 });

/** Body of POST /print. */
export const PrintCommand = closed(
  {
    type: Type.Literal('print'),
    id: CommandId,
    endpoint: EndpointId,
    lines: Lines,
    confirm: Type.Optional(Type.Boolean()),
  },
  { $id: 'PrintCommand', examples: [{ type: 'print', id: '1', endpoint: 'receipt', lines: LINES }] },
);
export type PrintCommand = Static<typeof PrintCommand>;

/** Body of POST /preview. */
export const PreviewRequest = closed({ lines: Lines }, { $id: 'PreviewRequest', examples: [{ lines: LINES }] });
export type PreviewRequest = Static<typeof PreviewRequest>;

/** Body of POST /raw: bytes in base64. */
export const RawCommand = closed(
  { type: Type.Literal('raw'), id: CommandId, endpoint: EndpointId, data: Type.String({ description: 'base64' }) },
  { $id: 'RawCommand', examples: [{ type: 'raw', id: '1', endpoint: 'receipt', data: 'SGVsbG8K' }] },
);
export type RawCommand = Static<typeof RawCommand>;

const PulseMs = Type.Integer({ minimum: 2, maximum: 510 });
const Pin = Type.Union([Type.Literal(2), Type.Literal(5)]);

/** Body of POST /drawer/kick; what it leaves out comes from the configuration. */
export const DrawerKickCommand = closed(
  {
    type: Type.Literal('drawer_kick'),
    id: CommandId,
    endpoint: EndpointId,
    pin: Type.Optional(Pin),
    onMs: Type.Optional(PulseMs),
    offMs: Type.Optional(PulseMs),
  },
  { $id: 'DrawerKickCommand', examples: [{ type: 'drawer_kick', id: '1', endpoint: 'receipt' }] },
);
export type DrawerKickCommand = Static<typeof DrawerKickCommand>;

/** Configuration keys of this room: printing, drawer, USB pacing, port 9100. */
export const PrintWidthCols = Type.Integer({ minimum: 16, maximum: 96, examples: [42] });
export const CutClearanceLines = Type.Integer({ minimum: 0, maximum: 20 });
export const Drawer = closed({
  pin: Type.Optional(Pin),
  onMs: Type.Optional(PulseMs),
  offMs: Type.Optional(PulseMs),
  openLevel: Type.Optional(Type.Union([Type.Literal('high'), Type.Literal('low')])),
});
export type DrawerConfig = Required<Static<typeof Drawer>>;
export const Usb = closed({
  chunkBytes: Type.Optional(Type.Integer({ minimum: 64, maximum: 16384 })),
  chunkDelayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
  writeTimeoutMs: Type.Optional(Type.Integer({ minimum: 500, maximum: 60000 })),
});
export const Raw = closed({
  enabled: Type.Optional(Type.Boolean()),
  idleTimeoutSeconds: Type.Optional(Type.Integer({ minimum: 5, maximum: 3600 })),
  protect: Type.Optional(
    Type.Union([Type.Literal('off'), Type.Literal('settings')], {
      description: 'settings: commands that change a printer for good are dropped',
    }),
  ),
});
export type RawConfig = Required<Static<typeof Raw>>;

/** The result of a command, and the data of the event `command_result`. */
export const CommandResult = open(
  {
    type: Type.Literal('command_result'),
    ok: Type.Boolean(),
    commandId: Type.String(),
    endpoint: Type.String(),
    error: Type.Optional(Type.String()),
    detail: Type.Optional(Type.String()),
    outcome: Type.Optional(
      Type.Union([Type.Literal('accepted'), Type.Literal('confirmed'), Type.Literal('unconfirmed')]),
    ),
    bytes: Type.Optional(Type.Integer()),
  },
  { $id: 'CommandResult' },
);

/** The status of one printer endpoint, and the data of the event `printer_status`. */
export const PrinterStatus = open(
  {
    type: Type.Literal('printer_status'),
    endpoint: Type.String(),
    known: Type.Boolean(),
    online: Type.Boolean(),
    paperOut: Type.Boolean(),
    coverOpen: Type.Boolean(),
    drawerOpen: Type.Boolean(),
    paperLow: Type.Optional(Type.Boolean()),
    condition: Type.Optional(Type.String()),
    columns: Type.Optional(Type.Integer({ description: 'characters of Font A in a line, by the recipe' })),
    layoutColumns: Type.Optional(Type.Integer({ description: 'what receipts are laid out in (printWidthCols)' })),
    languages: Type.Optional(Type.Array(Type.String())),
    rawPort: Type.Optional(
      Type.Integer({ description: 'in GET /status alone: its TCP port for raw bytes, while it listens' }),
    ),
  },
  { $id: 'PrinterStatus' },
);
export type PrinterStatus = Static<typeof PrinterStatus>;

/** The part of GET /status that this room adds. */
export const PrintersStatus = open({
  text: open({
    scripts: Type.Array(Type.String(), { description: 'ISO 15924 codes of those that this image can draw' }),
  }),
  printers: Type.Array(PrinterStatus),
  raw: open(
    {
      port: Type.Optional(Type.Integer({ description: 'while it listens' })),
      connections: Type.Integer({ description: 'made' }),
      bytes: Type.Integer({ description: 'passed on' }),
      pulsesDropped: Type.Integer(),
      realtimeDropped: Type.Integer(),
      settingsDropped: Type.Integer({ description: 'commands that change a printer for good (`raw.protect`)' }),
      refused: Type.Integer({ description: 'connections that were turned away' }),
    },
    { description: 'port 9100 since the start' },
  ),
});

/** The stored form of `MacroMemory` (codecs/escpos-macro.ts). */
export const StoredMacros = closed(
  { begun: Type.Boolean(), recording: Type.Boolean(), pulse: Type.Boolean() },
  { $id: 'StoredMacros' },
);

/** The stored form of what clients left printers in: bytes that they still expect, and their setup mode; another shape counts as none. */
export const StoredPayloads = Type.Array(
  closed({
    vendorId: Type.String({ maxLength: 4 }),
    productId: Type.String({ maxLength: 4 }),
    serial: Type.String({ maxLength: 256 }),
    endpoint: Type.Optional(Type.String({ description: 'where the variant has several printers' })),
    bytes: Type.Integer({ minimum: 0 }),
    setup: Type.Optional(Type.Boolean()),
  }),
  { $id: 'StoredPayloads', maxItems: 4 },
);
export type StoredPayloads = Static<typeof StoredPayloads>;

/** The properties of a virtual printer, named as the recipe options of `codecs/escpos.ts`. */
export interface PrinterModel {
  readonly dots: number;
  readonly columns: number;
  readonly codePages: string;
  readonly twoByte?: string;
  /** A cutter, GS ( H, GS ( D: it has these where they are left out. */
  readonly cutter?: boolean;
  readonly endOfPrint?: boolean;
  readonly realtimePulseDisable?: boolean;
  /** Largest multiple of the character size; 8 where it is left out. */
  readonly maxSize?: number;
}

export type { DrawnText };

/** A symbol that the virtual printer leaves to the drawing thread, by its name in BWIPP, as are its options. */
export interface AskedSymbol {
  readonly type:
    | ('azteccode' | 'datamatrix' | 'databaromni' | 'databartruncated' | 'databarlimited' | 'databarexpanded')
    | ('databarstacked' | 'databarstackedomni' | 'databarexpandedstacked');
  /** A character for each byte. */
  readonly text: string;
  readonly options: Readonly<Record<string, string | number>>;
}

/** Rows of modules, '1' is dark; undefined for what the symbology does not hold. */
export type SymbolModules = readonly string[] | undefined;

/** The bytes of lines that were laid out and the paper that they take, or a code of the error table and why there are none. */
export type LaidOut =
  | { readonly ok: true; readonly bytes: Uint8Array; readonly paperDots: number }
  | { readonly ok: false; readonly error: string; readonly detail: string };

/** The dots of a picture file, or why there are none. */
export type PictureDots =
  | { readonly ok: true; readonly bitmap: Bitmap }
  | { readonly ok: false; readonly error: PictureFault; readonly detail: string };

/** What this room offers to others. */
export interface PrinterOffer {
  /**
   * Draws the symbols of a virtual printer in the drawing thread, for a client at this address. Rejects with an ApiError where
   * too much is drawn already (`busy`), or memory is short.
   */
  readonly symbols: (asked: readonly AskedSymbol[], from: string) => Promise<readonly SymbolModules[]>;
  /**
   * Lays out lines for the printer at an endpoint, as a print command does. Rejects with an ApiError where it cannot be done
   * now: memory is short, the node stops.
   */
  readonly laidOut: (endpoint: string, lines: readonly Line[]) => Promise<LaidOut>;
  /** Decodes a JPEG or PNG in the drawing thread, for a client at this address; `width` in dots, at most 1 MiB of them. Rejects as `symbols`. */
  readonly pictured: (file: Uint8Array, width: number, dither: Dither, from: string) => Promise<PictureDots>;
  /** Text was drawn for the printer at an endpoint, and is about to be sent. */
  readonly drawn: SyncHook<[string, readonly DrawnText[]]>;
}

/** What the paper of the virtual printer tells of the commands that it came from; `tornOff` is in bytes, `tornOffRows` of `rows`. */
export interface PaperFacts {
  readonly rows: number;
  readonly commands: number;
  readonly ignored: { readonly command: string; readonly count: number }[];
  readonly tornOff: number;
  readonly tornOffRows: number;
}

/** What the twin's bench changes and reads of the virtual printer. */
export interface PrinterBench {
  /** Changes the model of the printer. */
  become(model: PrinterModel): void;
  set(change: {
    cover?: 'open' | 'closed';
    paper?: 'ok' | 'low' | 'out';
    drawer?: 'open' | 'closed';
    silent?: boolean;
    slow?: number;
  }): void;
  readonly state: Readonly<Record<string, unknown>> & { readonly cover: string; readonly paper: string };
  /** The text of these drawn rows, which `paperText` then gives back. */
  drew(texts: readonly DrawnText[]): void;
  /** Symbols of the paper that was made last, which it has no modules of: they are frames. */
  readonly undrawn: readonly AskedSymbol[];
  /** Takes the modules of symbols that were undrawn. */
  drewSymbols(asked: readonly AskedSymbol[], modules: readonly SymbolModules[]): void;
  paperText(): string;
  paperBytes(): Uint8Array;
  paperSvg(): string;
  paperFacts(): PaperFacts;
  /** The same as bytes: until the paper changes, all who ask get the same ones. */
  paper(as: 'svg' | 'text' | 'bytes'): Uint8Array;
  tearOff(): void;
}

declare module '../../runtime/kernel/registry.ts' {
  interface WebhookEvents {
    command_result: Static<typeof CommandResult>;
    printer_status: PrinterStatus;
  }
  interface ConfigKeys {
    printWidthCols: Static<typeof PrintWidthCols>;
    cutClearanceLines: Static<typeof CutClearanceLines>;
    drawer: DrawerConfig;
    usb: Required<Static<typeof Usb>>;
    raw: RawConfig;
  }
  interface Offers {
    printer: PrinterOffer;
  }
  interface StatusBlocks {
    printer: Static<typeof PrintersStatus>;
  }
}
