/** JSON Schemas of the printing routes (specification 2.3 to 2.5); validator, types, OpenAPI and client come from them. */

import { type Static, Type } from '@sinclair/typebox';
import type { SyncHook } from 'tapable';
import type { Dither, PictureFault } from '../../codecs/picture.ts';
import type { Bitmap } from '../../codecs/raster.ts';
import { closed, open } from '../../runtime/base/schema.ts';
import { Line } from './contract/lines.ts';
import type { AskedSymbol, DrawnText, SymbolModules } from './contract/twin.ts';

export * from './contract/lines.ts';
export * from './contract/stored.ts';
export * from './contract/twin.ts';

// Apart from the schemas, which an image does not carry.
export const ID_LENGTH = 128;
export const ENDPOINT_LENGTH = 64;
export const CommandId = Type.String({ minLength: 1, maxLength: ID_LENGTH });
export const EndpointId = Type.String({ minLength: 1, maxLength: ENDPOINT_LENGTH });

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
export const PreviewRequest = closed(
  { lines: Lines, endpoint: Type.Optional(EndpointId) },
  { $id: 'PreviewRequest', examples: [{ lines: LINES }] },
);
export type PreviewRequest = Static<typeof PreviewRequest>;

/** Header fields of POST /preview. */
export const PreviewHeaders = open({
  Prefer: Type.Optional(
    Type.String({ description: 'return=minimal (RFC 7240): 204 where the lines can be printed, and no paper' }),
  ),
});

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
    layoutDots: Type.Optional(Type.Integer({ description: 'dots across that, of the widest picture' })),
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

/** The bytes of lines that were laid out and the paper that they take, or a code of the error table and why there are none. */
export type LaidOut =
  | {
      readonly ok: true;
      readonly bytes: Uint8Array;
      readonly paperDots: number;
      /** What comes out otherwise than it was sent, for a person. */
      readonly detail?: string | undefined;
    }
  | { readonly ok: false; readonly error: string; readonly detail: string };

/** What jobs are laid out in: columns of Font A, and dots across. */
export interface Paper {
  readonly columns: number;
  readonly dots: number;
}

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
   * now: memory is short, the node stops. `from`: address of the client; addresses take turns, and those that nothing names are one.
   */
  readonly laidOut: (endpoint: string, lines: readonly Line[], from?: string) => Promise<LaidOut>;
  /** Why a print command of these lines would be refused now, at an endpoint; undefined where it would not. Rejects as `laidOut`. */
  readonly refusalOf: (
    endpoint: string,
    lines: readonly Line[],
    from?: string,
  ) => Promise<Extract<LaidOut, { readonly ok: false }> | undefined>;
  /** What jobs are laid out in at an endpoint, of its printer the narrower; undefined where no printer is bound. */
  readonly paperOf: (endpoint: string) => Paper | undefined;
  /** Decodes a JPEG or PNG in the drawing thread, for a client at this address; `width` in dots, at most 1 MiB of them. Rejects as `symbols`. */
  readonly pictured: (file: Uint8Array, width: number, dither: Dither, from: string) => Promise<PictureDots>;
  /** Text was drawn for the printer at an endpoint, and is about to be sent. */
  readonly drawn: SyncHook<[string, readonly DrawnText[]]>;
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
