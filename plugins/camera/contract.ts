/** The camera's settings, GET /camera, and the event of a picture taken (specification 2.2, 4 and 6.1). */
import { type Static, Type } from '@sinclair/typebox';
import { closed, open } from '../../runtime/base/schema.ts';

const Dots = Type.Integer({ minimum: 16, maximum: 4096 });
const Quality = Type.Union([Type.Integer({ minimum: 1, maximum: 100 }), Type.Null()], {
  description: 'of the compression; null leaves it to the camera',
});
const Rotate = Type.Union([Type.Literal(0), Type.Literal(90), Type.Literal(180), Type.Literal(270)], {
  description: 'degrees clockwise',
});

/** `width` and `height`: dots of the camera, before the picture is rotated. */
export const CameraConfig = closed(
  {
    width: Type.Optional(Dots),
    height: Type.Optional(Dots),
    quality: Type.Optional(Quality),
    rotate: Type.Optional(Rotate),
  },
  { $id: 'CameraConfig', examples: [{ quality: 80, rotate: 180 }] },
);
export type CameraSettings = Required<Static<typeof CameraConfig>>;

const stored = { width: Dots, height: Dots, quality: Quality, rotate: Rotate };
/** The answer when new settings are stored. */
export const CameraStored = open({ ok: Type.Literal(true), ...stored }, { $id: 'CameraStored' });

/** The answer of GET /camera. */
export const CameraInfo = open(
  {
    endpoint: Type.String(),
    condition: Type.String(),
    format: Type.Literal('mjpeg'),
    /** Dots of the last picture; before the first one, as configured. */
    width: Type.Integer(),
    height: Type.Integer(),
    /** GET /camera/stream has a viewer. */
    streaming: Type.Boolean(),
    config: open(stored),
  },
  { $id: 'CameraInfo' },
);

/** Data of the event for a picture that was taken. */
export const CameraFrameCaptured = open(
  {
    type: Type.Literal('camera_frame_captured'),
    endpoint: Type.String(),
    seq: Type.Integer({ description: 'counts since boot' }),
    bytes: Type.Integer(),
    width: Type.Integer(),
    height: Type.Integer(),
  },
  { $id: 'CameraFrameCaptured' },
);

declare module '../../runtime/kernel/registry.ts' {
  interface WebhookEvents {
    camera_frame_captured: Static<typeof CameraFrameCaptured>;
  }
}
