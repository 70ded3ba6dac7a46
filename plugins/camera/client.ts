/** What a program calls of this room, and the shapes that it gets. */
import type { Static } from '@sinclair/typebox';
import type { Access } from '../../runtime/client/access.ts';
import type { CallOptions } from '../../runtime/client/transport.ts';
import type * as Contract from './contract.ts';

export type CameraInfo = Static<typeof Contract.CameraInfo>;
export type CameraConfig = Static<typeof Contract.CameraConfig>;
export type CameraStored = Static<typeof Contract.CameraStored>;

export const calls = (node: Access) => ({
  camera: (options?: CallOptions): Promise<CameraInfo> => node.request('GET', '/camera', undefined, options),
  /** A picture taken now, as JPEG. */
  cameraFrame: (options?: CallOptions): Promise<Blob> => node.blob('/camera/frame', options),
  /** For an `<img>`: picture after picture, for one viewer at a time. */
  cameraStreamUrl: (): string => node.url('/camera/stream'),
  configureCamera: (patch: CameraConfig, options?: CallOptions): Promise<CameraStored> =>
    node.request('PUT', '/camera/config', patch, options),
});

declare module '../../runtime/kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
