/** The configuration of this room, and the shapes of GET /serial and POST /serial/try. */
import { type Static, Type } from '@sinclair/typebox';
import { SAID_UNITS } from '../../codecs/serial-scale.ts';
import { SCALE_PROTOCOLS } from '../../codecs/serial-scales.ts';
import { closed, open } from '../../runtime/base/schema.ts';

const Protocol = Type.Union(SCALE_PROTOCOLS.map((name) => Type.Literal(name)));

/** What differs from the line that the protocol has from the factory. */
const Line = closed({
  baudRate: Type.Optional(Type.Integer({ minimum: 300, maximum: 115_200 })),
  dataBits: Type.Optional(Type.Union([Type.Literal(7), Type.Literal(8)])),
  parity: Type.Optional(Type.Union((['none', 'even', 'odd'] as const).map((name) => Type.Literal(name)))),
  stopBits: Type.Optional(Type.Union([Type.Literal(1), Type.Literal(2)])),
});

/** What hangs on one line. */
const Assignment = closed({
  kind: Type.Literal('scale'),
  protocol: Protocol,
  line: Type.Optional(Line),
  unit: Type.Optional(
    Type.Union(
      SAID_UNITS.map((name) => Type.Literal(name)),
      { description: 'of a scale whose messages have none (toledo-8217): what stands on the scale' },
    ),
  ),
});
export type SerialAssignment = Static<typeof Assignment>;

/** Lines at most. */
export const MOST_LINES = 16;

/** Characters beyond ASCII, but for controls and halves of characters. As they are: not every language has `\p` or `\u`. */
const BEYOND = '\u00a1-\ud7ff\uf900-\ufffd';

/** Configuration key `serial`: by port path or serial number of the adapter; null takes one away. */
export const SerialConfig = Type.Record(
  Type.String({ pattern: `^(?!__proto__$)[!-~${BEYOND}](?:[ -~${BEYOND}]{0,124}[!-~${BEYOND}])?$` }),
  Type.Union([Assignment, Type.Null()]),
  {
    additionalProperties: false,
    description: 'what hangs on serial adapters, by their port path or serial number; null takes one away',
  },
);

/** The answer of GET /serial. */
export const SerialAdapters = open(
  {
    adapters: Type.Array(
      open({
        /** Port path, as Linux writes it. */
        port: Type.String(),
        serial: Type.Optional(Type.String()),
        vendorId: Type.String(),
        productId: Type.String(),
        make: Type.String(),
        model: Type.String(),
        /** CDC-ACM, FTDI, CP210x, CH340 or PL2303. */
        adapter: Type.String(),
        /** The key of `serial` in the configuration by which something hangs on it. */
        key: Type.Optional(Type.String()),
        kind: Type.Optional(Type.String()),
        protocol: Type.Optional(Type.String()),
        unit: Type.Optional(Type.String()),
        /** The endpoint of the device that is driven on it. */
        endpoint: Type.Optional(Type.String()),
      }),
    ),
  },
  { $id: 'SerialAdapters' },
);
export type SerialAdaptersAnswer = Static<typeof SerialAdapters>;

/** The body of POST /serial/try. */
export const SerialTry = closed(
  { port: Type.String({ minLength: 1, maxLength: 126 }) },
  { $id: 'SerialTry', examples: [{ port: '1-2' }] },
);

/** The answer of POST /serial/try. */
export const SerialTried = open(
  {
    ok: Type.Literal(true),
    tried: Type.Array(
      open({
        protocol: Type.String(),
        /** `weight`: the scale has answered, whether it had a weight or said why not. */
        heard: Type.Union((['nothing', 'garbled', 'weight'] as const).map((name) => Type.Literal(name))),
        weight: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
        unit: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      }),
    ),
    /** The first that was understood. */
    protocol: Type.Optional(Type.String()),
  },
  { $id: 'SerialTried' },
);
export type SerialTriedAnswer = Static<typeof SerialTried>;

declare module '../../runtime/kernel/registry.ts' {
  interface ConfigKeys {
    /** Assignments by adapter; null is not stored. */
    serial: Readonly<Record<string, SerialAssignment | null>>;
  }
}
