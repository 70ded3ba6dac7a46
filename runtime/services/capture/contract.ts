/** The diagnostic ring: its switch, its records and an operator's mark (specification 2.12 and 3.4). */
import { type Static, Type } from '@sinclair/typebox';
import { closed, open } from '../../base/schema.ts';

/** The configuration key `capture`. */
export const Capture = Type.Boolean({ description: 'the diagnostic ring records' });

/** The body of POST /capture/mark. */
export const CaptureMark = closed(
  { text: Type.String({ minLength: 1, maxLength: 200, description: 'what the operator notes' }) },
  { $id: 'CaptureMark', examples: [{ text: 'the till jams' }] },
);
export type CaptureMark = Static<typeof CaptureMark>;

/** The response of POST /capture/mark. */
export const CaptureMarked = open(
  { ok: Type.Literal(true), seq: Type.Integer({ description: 'number of the record' }) },
  { $id: 'CaptureMarked' },
);

const uint = (description: string) => Type.Integer({ minimum: 0, description });

const Setup = open(
  { requestType: uint('bmRequestType'), request: uint('bRequest'), value: uint('wValue'), index: uint('wIndex') },
  { description: 'the request of a control transfer; `data` is its data stage' },
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
    maxPowerMa: Type.Optional(uint('the current it may draw from the bus')),
    descriptors: Type.Optional(
      Type.String({ description: 'device descriptor and active configuration as the device sent them, base64' }),
    ),
    malformed: Type.Optional(Type.String({ description: 'why its descriptors could not be parsed' })),
  },
  { description: 'the device, on a line with direction connect' },
);

const FAULTS = ['timeout', 'cancelled', 'stall', 'disconnected', 'busy', 'access', 'io'];

/** One line of GET /capture. */
export const CaptureRecord = open(
  {
    seq: uint('number of the record, from 1; 0 on a line that describes a device'),
    tMs: uint('milliseconds since the node started'),
    channel: Type.String({ description: 'usb:<port path>, raw (port 9100), or mark' }),
    direction: Type.Union(['in', 'out', 'mark', 'connect'].map((name) => Type.Literal(name))),
    endpoint: Type.Optional(Type.String()),
    pipe: Type.Optional(uint('bEndpointAddress of a transfer on a pipe')),
    setup: Type.Optional(Setup),
    fault: Type.Optional(Type.Union(FAULTS.map((fault) => Type.Literal(fault)))),
    text: Type.Optional(Type.String({ description: 'the text of a mark' })),
    identity: Type.Optional(Identity),
    repeats: Type.Optional(
      uint('how often the same data came again within a second, or the same request and response were repeated'),
    ),
    lastTMs: Type.Optional(uint('time of the last repetition, as tMs')),
    length: uint('total number of bytes'),
    data: Type.String({ description: 'the first 256 of them, base64' }),
  },
  { $id: 'CaptureRecord' },
);

declare module '../../kernel/registry.ts' {
  interface ConfigKeys {
    capture: Static<typeof Capture>;
  }
}
