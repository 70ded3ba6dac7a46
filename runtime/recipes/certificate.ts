/** The file that `tillnode certify` writes and `npm run recipes -- accept` takes. */
import { type Static, Type } from '@sinclair/typebox';
import { closed } from '../base/schema.ts';

const UsbId = Type.String({ pattern: '^[0-9a-f]{4}$' });
const Name = Type.String({ minLength: 1, maxLength: 126, pattern: '^[^\\p{Cc}|`<>]+$' });
const Word = Type.String({ pattern: '^[a-z][a-z0-9-]*$', maxLength: 40 });
/** A path of the API that commands are sent to; the tour of the kind names those of its own (`sends`). */
const Path = Type.String({ pattern: '^(/[a-z][a-z0-9-]*)+$', maxLength: 100 });
const Fields = Type.Record(Type.String(), Type.Unknown());

/** What was sent to the device, or what it was seen to do, while the mark of this step was the last one. */
const CertifiedStep = closed({
  id: Word,
  sent: Type.Optional(
    closed({
      path: Path,
      body: Fields,
    }),
  ),
  saw: Type.Optional({ ...Fields, description: 'fields of the event that showed it' }),
});

const Bytes = (maxLength: number) => Type.String({ pattern: '^([0-9a-f]{2})*$', maxLength });

/** The device as it is on the bus, in hexadecimal: serial numbers are left out, values of reports are replaced. */
const CertifiedDevice = closed({
  descriptors: Bytes(2 * (18 + 0xffff)),
  strings: closed({ make: Type.String({ maxLength: 126 }), model: Type.String({ maxLength: 126 }) }),
  reportDescriptors: Type.Record(Type.String({ pattern: '^[0-9]{1,3}$' }), Bytes(8192)),
  deviceIdRaw: Type.Optional(Bytes(2048)),
  reports: Type.Array(Bytes(2048), { maxItems: 64 }),
  answers: Type.Optional({
    ...Type.Record(Type.String({ pattern: '^([0-9a-f]{2}){0,256}$' }), Type.Array(Bytes(512), { maxItems: 16 }), {
      additionalProperties: false,
      maxProperties: 16,
    }),
    description: 'of a device on a serial line: by what was sent to it, the packets that came',
  }),
  reportPipe: Type.Optional(Type.Integer({ minimum: 0x81, maximum: 0x8f })),
});
export type CertifiedDevice = Static<typeof CertifiedDevice>;

/** One certified device. Nothing in it names a person, a shop, the node or the copy of the device. */
export const Certificate = closed(
  {
    format: Type.Literal('tillnode-certificate-1'),
    node: closed({ variant: Type.String({ maxLength: 40 }), firmwareVersion: Type.String({ maxLength: 40 }) }),
    endpoint: Type.String({ minLength: 1, maxLength: 64 }),
    /** How it was driven meanwhile. */
    drivenBy: closed({ id: Type.String({ maxLength: 200 }), tier: Type.String({ maxLength: 20 }) }),
    config: { ...Fields, description: 'keys that decide which bytes a device gets' },
    answers: Type.Record(Word, Type.String({ maxLength: 200 })),
    facts: Type.Record(Type.String(), Type.Union([Type.String({ maxLength: 200 }), Type.Number(), Type.Boolean()])),
    row: closed({
      ...{ vendorId: UsbId, productId: UsbId, make: Name, model: Name, kind: Word, codec: Word },
      options: Fields,
    }),
    device: Type.Optional(CertifiedDevice),
    report: Type.Array(Type.String({ maxLength: 400 }), { maxItems: 100 }),
    steps: Type.Array(CertifiedStep, { maxItems: 100 }),
    recording: Type.String({
      maxLength: 4_000_000,
      description: 'NDJSON of GET /capture, with a mark before each step',
    }),
  },
  { $id: 'Certificate' },
);
export type Certificate = Static<typeof Certificate>;
export type CertifiedStep = Static<typeof CertifiedStep>;
