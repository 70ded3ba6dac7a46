/** JSON Schemas of /twin/*. */
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { SYMBOLOGIES } from '../../codecs/symbology.ts';
import { closed, open } from '../../runtime/base/schema.ts';
import type { InTurn } from '../../runtime/base/turns.ts';
import type { VirtualDevice } from '../../runtime/bindings/virtual/device.ts';

const oneOf = <const V extends readonly string[]>(...values: V) =>
  Type.Union(values.map((value) => Type.Literal(value as V[number])));

const Done = Type.Literal(true);
const Attached = Type.Boolean({ description: 'plugged in' });
export const TwinDone = open({ ok: Done }, { $id: 'TwinDone' });

const printer = {
  cover: oneOf('open', 'closed'),
  paper: oneOf('ok', 'low', 'out'),
  drawer: oneOf('open', 'closed'),
  silent: Type.Boolean({ description: 'answers no status request' }),
  slow: Type.Integer({ minimum: 0, maximum: 10_000_000, description: 'bytes a second taken; 0 is full speed' }),
  attached: Attached,
};
/** Body of PUT /twin/printer: the fields to change. */
export const TwinPrinter = Type.Partial(closed(printer), {
  $id: 'TwinPrinter',
  additionalProperties: false,
  examples: [{ cover: 'open' }],
});
export const TwinPrinterState = open(
  { ok: Done, ...printer, nak: Type.Boolean({ description: 'takes no bytes' }) },
  { $id: 'TwinPrinterState' },
);

/** The answer of GET /twin/paper.json. */
export const TwinPaper = open(
  {
    rows: Type.Integer({ minimum: 0, description: 'printed lines, feeds, pictures, symbols, pages and cuts' }),
    commands: Type.Integer({ minimum: 0, description: 'commands that were obeyed' }),
    ignored: Type.Array(
      open({
        command: Type.String({ description: 'as manuals name it: `GS ( K 50`' }),
        count: Type.Integer({ minimum: 1 }),
      }),
      { description: 'what is only named on this paper, and what the model does not have' },
    ),
    tornOff: Type.Integer({
      minimum: 0,
      description: 'bytes, of those since the paper was torn off, that came before the last mebibyte and are not on it',
    }),
    tornOffRows: Type.Integer({
      minimum: 0,
      description: 'of `rows`, those at the beginning that are no longer shown; the last 12,288 always are',
    }),
  },
  { $id: 'TwinPaper' },
);

const scale = {
  grams: Type.Number({ minimum: -100_000, maximum: 100_000, description: 'what lies on it' }),
  status: oneOf('reading', 'asleep', 'under_zero', 'over_limit', 'needs_calibration', 'needs_rezero', 'fault'),
  attached: Attached,
};
/** Body of PUT /twin/scale: the fields to change; the load is in grams. */
export const TwinScale = Type.Partial(closed(scale), {
  $id: 'TwinScale',
  additionalProperties: false,
  examples: [{ grams: 250 }],
});
export const TwinScaleState = open({ ok: Done, ...scale }, { $id: 'TwinScaleState' });

/** Body of POST /twin/scan. */
export const TwinScan = closed(
  {
    value: Type.String({ minLength: 1, maxLength: 8192 }),
    symbology: Type.Optional(oneOf(...SYMBOLOGIES)),
  },
  { $id: 'TwinScan', examples: [{ value: '4006381333931' }] },
);

/** Body of POST /twin/button; `holdMs` is in milliseconds. */
export const TwinButton = closed(
  {
    name: oneOf('b'),
    holdMs: Type.Integer({ minimum: 0, maximum: 60_000, description: 'how long it was held when it is let go' }),
  },
  { $id: 'TwinButton', examples: [{ name: 'b', holdMs: 100 }] },
);

const UsbId = Type.String({ pattern: '^[0-9a-f]{4}$', description: '4 lower-case hexadecimal digits' });
const DeviceString = Type.Optional(Type.String({ maxLength: 126 }));

/** Printable ASCII, `KEY:value;` and so on; manufacturer, model and command set must be there (IEEE 1284-2000, 7.6). */
const fieldOf = (...keys: string[]) => `(?=([ -~]*;)? *(${keys.join('|')}) *:[^;]*(;|$))`;
const DEVICE_ID = `^$|^${fieldOf('MFG', 'MANUFACTURER')}${fieldOf('MDL', 'MODEL')}${fieldOf('CMD', 'COMMAND SET')}[ -~]+$`;

/** Body of POST /twin/attach. */
export const TwinAttach = closed(
  {
    vendorId: UsbId,
    productId: UsbId,
    device: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          "one of the twin's own, by its name in GET /twin/devices: it gets these ids and names, in place of one of its kind",
      }),
    ),
    make: DeviceString,
    model: DeviceString,
    serial: DeviceString,
    class: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 255,
        description: 'of its one interface; 255, the vendor class, if left out',
      }),
    ),
    deviceId: Type.Optional(
      Type.String({
        maxLength: 1021,
        pattern: DEVICE_ID,
        description:
          'IEEE 1284 device id of the printer, with its fields MFG, MDL and CMD; empty for a printer that has none; ' +
          'left out, it says ESC/POS under its make and model. With "device": "printer" only',
      }),
    ),
    attached: Type.Optional(Type.Boolean({ description: 'false takes devices of these ids off the bus again' })),
  },
  { $id: 'TwinAttach', examples: [{ vendorId: 'abcd', productId: '0001', model: 'Gadget' }] },
);

const ARGUMENTS = [Type.String({ maxLength: 8192 }), Type.Number(), Type.Boolean()] as const;
const Argument = Type.Union([...ARGUMENTS]);

/** Body of POST /twin/action. */
export const TwinAct = closed(
  {
    device: Type.String({ minLength: 1, maxLength: 64, description: 'its name in GET /twin/devices' }),
    action: Type.String({ minLength: 1, maxLength: 64, description: 'one that the device declares there' }),
    argument: Type.Optional(
      Type.Union([...ARGUMENTS], { description: 'of the type of the default, which it replaces' }),
    ),
  },
  { $id: 'TwinAct', examples: [{ device: 'scale', action: 'tare' }] },
);

const State = Type.Optional(
  Type.Record(Type.String(), Type.Unknown(), { description: 'of the device; absent for devices without one' }),
);
/** The answer of POST /twin/action. */
export const TwinActed = open({ ok: Done, state: State }, { $id: 'TwinActed' });

/** The answer of GET /twin/devices. */
export const TwinDevices = open(
  {
    devices: Type.Array(
      open({
        name: Type.String(),
        vendorId: UsbId,
        productId: UsbId,
        make: Type.String(),
        model: Type.String(),
        attached: Type.Boolean(),
        state: State,
        actions: Type.Optional(
          Type.Array(
            open({
              name: Type.String(),
              argument: Type.Optional(open({ name: Type.String(), default: Argument })),
            }),
            { description: 'what POST /twin/action can do with it; absent for devices that declare nothing' },
          ),
        ),
        words: Type.Optional(
          Type.Record(Type.String(), Type.Record(Type.String(), Type.String()), {
            description: 'by language, English always among them: the words for its actions and arguments, by name',
          }),
        ),
      }),
    ),
  },
  { $id: 'TwinDevices' },
);

export const TwinAttached = open({ ok: Done, attached: Attached }, { $id: 'TwinAttached' });

/** The state of the twin's room. */
export interface TwinRoom {
  /** The unknown devices that are attached, the first one first. */
  strangers: ReadonlyArray<{ readonly ids: string; readonly device: VirtualDevice }>;
  /** One scan at a time: the next read is that of the code that is held under the scanner. */
  readonly scansInTurn: InTurn;
}

/** A virtual device that the bench changes; `attached` is left out, because the bus plugs it in. */
export interface Bench<Change extends TSchema> {
  set(change: Omit<Static<Change>, 'attached'>): void;
  readonly state: Readonly<Required<Omit<Static<Change>, 'attached'>>>;
}
