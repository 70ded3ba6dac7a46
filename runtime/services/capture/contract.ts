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

const Setup = open(
  { requestType: uint('bmRequestType'), request: uint('bRequest'), value: uint('wValue'), index: uint('wIndex') },
  { description: 'of a control transfer: its request; the data are its data stage' },
);

const Interface = open({
  number: uint('bInterfaceNumber'),
  alternate: uint('bAlternateSetting'),
  class: uint('bInterfaceClass'),
  subclass: uint('bInterfaceSubClass'),
  protocol: uint('bInterfaceProtocol'),
  pipes: Type.Array(
    open({
      address: uint('bEndpointAddress'),
      direction: Type.String(),
      type: Type.String(),
      maxPacketSize: uint('bytes'),
    }),
  ),
  extra: Type.String({ description: 'class descriptors, base64' }),
});

const Identity = open(
  {
    vendorId: Type.String(),
    productId: Type.String(),
    make: Type.String(),
    model: Type.String(),
    serial: Type.Optional(Type.String()),
    port: Type.String(),
    class: uint('bDeviceClass'),
    subclass: Type.Optional(uint('bDeviceSubClass')),
    protocol: Type.Optional(uint('bDeviceProtocol')),
    usbVersion: Type.Optional(Type.String({ description: 'bcdUSB, such as 2.00' })),
    interfaces: Type.Array(Interface),
    selfPowered: Type.Boolean(),
    maxPowerMa: Type.Optional(uint('what it may draw from the bus')),
    malformed: Type.Optional(Type.String({ description: 'why its descriptors could not be understood' })),
  },
  { description: 'of a connect: the device' },
);

const FAULTS = ['timeout', 'cancelled', 'stall', 'disconnected', 'busy', 'access', 'io'];

/** One line of GET /capture. */
export const CaptureRecord = open(
  {
    seq: uint('number of the record, from 1; 0 on a line that says what a device is'),
    tMs: uint('milliseconds since the node started'),
    channel: Type.String({ description: 'usb:<port path>, raw (port 9100), or mark' }),
    direction: Type.Union(['in', 'out', 'mark', 'connect'].map((name) => Type.Literal(name))),
    endpoint: Type.Optional(Type.String()),
    pipe: Type.Optional(uint('of a transfer on a pipe: bEndpointAddress')),
    setup: Type.Optional(Setup),
    fault: Type.Optional(Type.Union(FAULTS.map((fault) => Type.Literal(fault)))),
    text: Type.Optional(Type.String({ description: 'of a mark: what was noted' })),
    identity: Type.Optional(Identity),
    repeats: Type.Optional(
      uint('how often the same was said again, within a second each, or asked and answered again'),
    ),
    lastTMs: Type.Optional(uint('of the last repeat')),
    length: uint('bytes in all'),
    data: Type.String({ description: 'the first 256 of them, base64' }),
  },
  { $id: 'CaptureRecord' },
);
