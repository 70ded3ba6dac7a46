/** The camera room: one picture, a stream for one viewer, and settings that are tested before they are stored. */
import type { Readable } from 'node:stream';
import { mjpeg } from '../../codecs/mjpeg.ts';
import { VideoError } from '../../runtime/bindings/video.ts';
import { noStream } from '../../runtime/http/streams.ts';
import { ApiError } from '../../runtime/kernel/errors.ts';
import type { Node } from '../../runtime/kernel/node.ts';
import { type Call, definePlugin, routesOf } from '../../runtime/kernel/plugin.ts';
import { bind, classify, VIDEO } from './bind.ts';
import { type Camera, turned } from './camera.ts';
import { CameraConfig, CameraFrameCaptured, CameraInfo, type CameraSettings, CameraStored } from './contract.ts';
import { errors } from './errors.ts';
import { PictureStream, STREAM_TYPE } from './stream.ts';

const ENDPOINT = 'camera';
const DEFAULTS: CameraSettings = { width: 640, height: 480, quality: null, rotate: 0 };
/** A stream needs one event slot and leaves one (specification section 8). */
const FREE_SLOTS = 2;
/** Most bytes of an answer to GET /camera. */
const REPLY_BYTES = 4096;

interface Room {
  stream: PictureStream | undefined;
  /** Sequence number of the last event. */
  seq: number;
}
const route = routesOf<Room>();

export default definePlugin({
  name: 'camera',
  api: 2,
  requires: ['settings', 'events'],
  endpoints: [{ id: ENDPOINT, kind: 'camera', transport: 'usb', capabilities: ['frame', 'stream'] }],
  codecs: [mjpeg],
  limits: { cameraStreamClients: 1, cameraStreamFreeSlots: FREE_SLOTS },
  errors,
  events: { camera_frame_captured: { schema: CameraFrameCaptured, webhook: true } },
  // Its control interface reports its button or status by interrupts, its streaming interface sends pictures.
  channels: { classes: [VIDEO], types: ['interrupt', 'isochronous', 'bulk'], all: true },
  routes: [
    route({
      method: 'GET',
      path: '/camera',
      tier: 'none',
      summary: 'the camera, its pictures and its settings',
      response: CameraInfo,
      errors: ['persist_failed'],
      handle: ({ node, room }) => infoOf(node, room),
    }),
    route({
      method: 'GET',
      path: '/camera/frame',
      tier: 'none',
      summary: 'one picture, taken now',
      type: 'image/jpeg',
      errors: ['no_camera', 'capture_failed'],
      handle: frame,
    }),
    route({
      method: 'GET',
      path: '/camera/stream',
      tier: 'none',
      summary: 'picture after picture, for one viewer',
      type: STREAM_TYPE,
      errors: ['no_camera', 'stream_busy', 'no_slots'],
      handle: stream,
    }),
    route({
      method: 'PUT',
      path: '/camera/config',
      tier: 'admin',
      summary: 'change the settings, once a picture was taken with them',
      body: { schema: CameraConfig, invalid: 'invalid_config' },
      response: CameraStored,
      errors: ['no_camera', 'capture_failed', 'invalid_config', 'persist_failed'],
      handle: configure,
    }),
  ],
  room(node) {
    const { hooks } = node;
    const room: Room = { stream: undefined, seq: 0 };
    hooks.classify.tap('camera', classify);
    hooks.bind
      .for('camera')
      .tapPromise('camera', async (candidate) => bind(candidate, node.bindings.video, () => settingsOf(node)));
    hooks.stop.tap('camera', () => room.stream?.end());
    return room;
  },
});

function cameraOf(node: Node): Camera {
  const camera = node.bound('camera', ENDPOINT);
  if (camera === undefined) throw new ApiError('no_camera');
  return camera;
}

const settingsOf = ({ settings }: Node): CameraSettings => ({
  ...DEFAULTS,
  ...settings.read('camera'),
});

function infoOf(node: Node, { stream: open }: Room) {
  if (node.bindings.host.memoryLeft() < REPLY_BYTES) throw new ApiError('persist_failed', 'out of memory');
  const camera = node.bound('camera', ENDPOINT);
  const config = settingsOf(node);
  const { width, height } = camera?.last ?? turned(config);
  const condition = node.endpoint(ENDPOINT)?.condition;
  return { endpoint: ENDPOINT, condition, format: 'mjpeg', width, height, streaming: open !== undefined, config };
}

/** HEAD takes a picture, too, to answer as GET would. Nobody gets that picture, so there is no event. */
async function frame({ node, room, request }: Call<unknown, Room>): Promise<Uint8Array> {
  const { jpeg, width, height } = await cameraOf(node).capture().catch(refuse);
  if (request.method === 'HEAD') return jpeg;
  room.seq += 1;
  const event = {
    type: 'camera_frame_captured' as const,
    endpoint: ENDPOINT,
    seq: room.seq,
    bytes: jpeg.length,
    width,
    height,
  };
  node.event(event);
  return jpeg;
}

function stream({ node, room, request }: Call<unknown, Room>): Readable {
  const camera = cameraOf(node);
  if (room.stream !== undefined) throw new ApiError('stream_busy');
  const slots = node.offered('events');
  if (node.stopping || slots === undefined || slots.free < FREE_SLOTS) throw new ApiError('no_slots');
  if (request.method === 'HEAD') return noStream();
  const slot = slots.take();
  if (slot === undefined) throw new ApiError('no_slots');
  const opened = PictureStream.begin(request, slot, () => camera.capture());
  room.stream = opened;
  opened.once('close', () => {
    room.stream = undefined;
  });
  return opened;
}

async function configure({ node, body }: Call<Partial<CameraSettings>>) {
  const camera = cameraOf(node);
  const store = (settings: CameraSettings) =>
    node.settings.update((draft) => {
      draft.camera = settings;
    });
  return { ok: true, ...(await camera.tryOut(body, store).catch(refuse)) };
}

/** Turns a VideoError into `capture_failed`; throws other errors unchanged. */
function refuse(error: unknown): never {
  throw error instanceof VideoError ? new ApiError('capture_failed', error.message) : error;
}

declare module '../../runtime/kernel/registry.ts' {
  interface BoundKinds {
    camera: Camera;
  }
  interface StoredSettings {
    camera: Partial<CameraSettings>;
  }
}
