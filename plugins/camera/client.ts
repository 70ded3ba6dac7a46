/** The client calls of this room, and the types that they take and give. */
import type { Static } from '@sinclair/typebox';
import type { Access } from '../../runtime/client/access.ts';
import type { CallOptions } from '../../runtime/client/transport.ts';
import type * as Contract from './contract.ts';

/** The response of GET /camera. */
export type CameraInfo = Static<typeof Contract.CameraInfo>;
/** Body of PUT /camera/config: the settings to change. */
export type CameraConfig = Static<typeof Contract.CameraConfig>;
/** The response of PUT /camera/config. */
export type CameraStored = Static<typeof Contract.CameraStored>;

/** The calls that the client gets from this room. Each rejects with a NodeError. */
export const calls = (node: Access) => ({
  /** How the camera is, and its settings. */
  camera: (options?: CallOptions): Promise<CameraInfo> => node.request('GET', '/camera', undefined, options),
  /** Takes a picture; gives a JPEG. */
  cameraFrame: (options?: CallOptions): Promise<Blob> => node.blob('/camera/frame', options),
  /** The address of the stream, for an `<img>`. One viewer at a time. */
  cameraStreamUrl: (): string => node.url('/camera/stream'),
  /** Changes the settings of the camera. */
  configureCamera: (patch: CameraConfig, options?: CallOptions): Promise<CameraStored> =>
    node.request('PUT', '/camera/config', patch, options),
});

declare module '../../runtime/kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
