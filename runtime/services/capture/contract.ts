/** The diagnostic ring: its switch, its records and an operator's mark (specification 2.12 and 3.4). */
import { type Static, Type } from '@sinclair/typebox';
import { closed, open } from '../../kernel/schema.ts';

export const Capture = Type.Boolean({ description: 'the diagnostic ring records' });

export const CaptureMark = closed(
  { text: Type.String({ minLength: 1, maxLength: 200, description: 'what the operator notes' }) },
  { $id: 'CaptureMark' },
);
export type CaptureMark = Static<typeof CaptureMark>;

export const CaptureMarked = open(
  { ok: Type.Literal(true), seq: Type.Integer({ description: 'number of the record' }) },
  { $id: 'CaptureMarked' },
);

const uint = (description: string) => Type.Integer({ minimum: 0, description });

/** One line of GET /capture. */
export const CaptureRecord = open(
  {
    seq: uint('number of the record, from 1; 0 on a line that says what a device is'),
    tMs: uint('milliseconds since the node started'),
    channel: Type.String({ description: 'usb:<port path>, raw (port 9100), or mark' }),
    direction: Type.Union(['in', 'out', 'mark', 'connect'].map((name) => Type.Literal(name))),
    endpoint: Type.Optional(Type.String()),
    length: uint('bytes in all'),
    data: Type.String({ description: 'the first 256 of them, base64' }),
  },
  { $id: 'CaptureRecord' },
);
