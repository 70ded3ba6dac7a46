/** The scanner's configuration, its scan log, and the event of an accepted read (specification 2.6, 2.8 and 6.1). */
import { type Static, Type } from '@sinclair/typebox';
import { SYMBOLOGIES } from '../../codecs/symbology.ts';
import { closed, open } from '../../runtime/base/schema.ts';

/** Names of symbologies in the API (families of ISO/IEC 15424; EAN and UPC are separated by length). */
export const ScannedSymbology = Type.Union(SYMBOLOGIES.map((name) => Type.Literal(name)));

const count = (minimum: number, maximum: number) => Type.Optional(Type.Integer({ minimum, maximum }));
const oneOf = <const V extends readonly string[]>(...values: V) =>
  Type.Union(values.map((value) => Type.Literal(value as V[number])));

/** Configuration key `scanner`; times are in milliseconds. */
export const ScannerConfig = closed({
  readMode: Type.Optional(oneOf('auto', 'keyboard', 'hidpos')),
  layout: Type.Optional(oneOf('us', 'uk', 'de', 'fr', 'es', 'it')),
  minLength: count(1, 64),
  interKeyTimeoutMs: count(10, 1000),
  duplicateWindowMs: count(0, 10_000),
  burstGapMs: count(0, 1000),
  symbologies: Type.Optional(
    Type.Array(ScannedSymbology, { uniqueItems: true, description: 'accepted ones; [] = all' }),
  ),
});
export type ScannerSettings = Required<Static<typeof ScannerConfig>>;

const SymbologySource = oneOf('aim', 'inferred');

/** Why a typed read may not be what the label says, although a verdict took or left it. */
const Suspect = Type.Union(
  [Type.Literal('shifted_digits'), Type.Literal('control_characters'), Type.Literal('rollover')],
  {
    description:
      'of a typed read that may be wrong. shifted_digits, control_characters: it is mostly what the keys of the digits type with Shift, or control characters: compare the keyboard layout of the scanner and its protocol with those of the node. rollover: the scanner pressed more keys at once than it could say',
  },
);
export type Suspect = Static<typeof Suspect>;

/** One read in the scan log. */
export const ScanRecord = open({
  seq: Type.Integer({ description: 'counts every read since boot; reads that leave no record count too' }),
  value: Type.String(),
  verdict: oneOf('accepted', 'duplicate', 'too_short', 'burst'),
  symbology: ScannedSymbology,
  symbologySource: SymbologySource,
  ageMs: Type.Integer({ description: 'since the end of the read' }),
  gapMs: Type.Integer({
    description: 'from the end of the read before to the beginning of this one; -1 for the first',
  }),
  suspect: Type.Optional(Suspect),
});
export type ScanRecord = Static<typeof ScanRecord>;
export type Verdict = ScanRecord['verdict'];

/** The answer of GET /scans. */
export const Scans = open(
  {
    endpoint: Type.String(),
    accepted: Type.Integer(),
    rejected: Type.Integer(),
    capacity: Type.Integer(),
    scans: Type.Array(ScanRecord, { description: 'newest first' }),
    unrecorded: open(
      { symbology: Type.Integer(), unreadable: Type.Integer() },
      {
        description:
          'rejected reads without a record, by reason: symbology not listed; over 4,096 characters, damaged or in no certain order',
      },
    ),
  },
  { $id: 'Scans' },
);
export type Scans = Static<typeof Scans>;

export const ScansCleared = open({ ok: Type.Literal(true) }, { $id: 'ScansCleared' });

/** Data of the event `scan_read`, for an accepted read. */
export const ScanRead = open(
  {
    type: Type.Literal('scan_read'),
    endpoint: Type.String(),
    value: Type.String(),
    seq: Type.Integer({ description: 'of its record in the scan log' }),
    symbology: ScannedSymbology,
    symbologySource: SymbologySource,
    suspect: Type.Optional(Suspect),
  },
  { $id: 'ScanRead' },
);

/** What the other rooms get of this one. */
export interface ScanReads {
  /**
   * Calls `heard` once, with what became of the next read: its verdict, or why it has no record (`symbology`: not
   * listed; `unreadable`). The returned function stops waiting.
   */
  next(heard: (outcome: string) => void): () => void;
}

declare module '../../runtime/kernel/registry.ts' {
  interface WebhookEvents {
    scan_read: Static<typeof ScanRead>;
  }
  interface Offers {
    scanner: ScanReads;
  }
  interface ConfigKeys {
    scanner: ScannerSettings;
  }
}
