/** Typed client of the LAN API, for browsers and Node: the shapes are the contract's, nothing is stated twice. */
import { blobOf, linesOf } from './body.ts';
import { Deadline } from './deadline.ts';
import { NodeError } from './errors.ts';
import { type EventOptions, eventsOf } from './events.ts';
import { type CallOptions, type ClientOptions, Transport } from './transport.ts';
import { TwinClient } from './twin.ts';
import type * as T from './types.ts';

export { NodeError, type Retry } from './errors.ts';
export { type EventOptions, eventIdOf } from './events.ts';
export type { CallOptions, ClientOptions } from './transport.ts';
export type { TwinClient } from './twin.ts';
export type * from './types.ts';
export { verifyWebhook } from './webhook.ts';

export interface UploadOptions extends CallOptions {
  /** 64 hex digits. Needed where the platform has no crypto.subtle: in a page over plain HTTP. */
  readonly sha256?: string | undefined;
  /** Takes an image for other hardware. */
  readonly allowVariantChange?: boolean | undefined;
}

const UPLOAD_MS = 600_000;
/** Between two records of the diagnostic ring. */
const RECORD_MS = 15_000;
const PRINTING = /^\/(print|raw|drawer\/kick|compose)$/;

export class NodeClient {
  readonly #transport: Transport;
  /** What only the twin has. */
  readonly twin: TwinClient;
  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
    this.twin = new TwinClient(this.#transport);
  }

  /** Any route, also one of a plugin that this client does not know. Throws a `NodeError` on a refusal. */
  request<R = unknown>(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<R> {
    const json = body === undefined ? undefined : JSON.stringify(body);
    const prints = PRINTING.test(path) && (path !== '/compose' || (body as { print?: boolean })?.print === true);
    return this.#transport.request<R>(method, path, { ...options, body: json, prints });
  }

  status = (options?: CallOptions): Promise<T.Status> => this.request('GET', '/status', undefined, options);
  peripherals = (options?: CallOptions): Promise<T.Peripherals> =>
    this.request('GET', '/peripherals', undefined, options);
  unknownDevices = (options?: CallOptions): Promise<T.UnknownDevices> =>
    this.request('GET', '/devices/unknown', undefined, options);

  config = (options?: CallOptions): Promise<T.Config> => this.request('GET', '/config', undefined, options);
  configure = (patch: T.ConfigPatch, options?: CallOptions): Promise<T.Config> =>
    this.request('PUT', '/config', patch, options);

  // What prints is sent once. Where its `NodeError` says `mayHavePrinted`, somebody has to look at the paper.
  print = (command: T.PrintCommand, options?: CallOptions): Promise<T.CommandResult> =>
    this.request('POST', '/print', command, options);
  raw = (command: T.RawCommand, options?: CallOptions): Promise<T.CommandResult> =>
    this.request('POST', '/raw', command, options);
  kickDrawer = (command: T.DrawerKickCommand, options?: CallOptions): Promise<T.CommandResult> =>
    this.request('POST', '/drawer/kick', command, options);
  compose = (body: T.ComposeBody, options?: CallOptions): Promise<T.Composed> =>
    this.request('POST', '/compose', body, options);

  /** Everything that happens, from now on: connects again by itself, until it is aborted or left. */
  events<Other extends { readonly type: string } = never>(
    options: EventOptions = {},
  ): AsyncGenerator<T.NodeEvent | Other, void> {
    return eventsOf<T.NodeEvent | Other>(this.#transport, options);
  }

  scans = (options?: CallOptions): Promise<T.Scans> => this.request('GET', '/scans', undefined, options);
  clearScans = (options?: CallOptions): Promise<T.Done> => this.request('DELETE', '/scans', undefined, options);
  scale = (options?: CallOptions): Promise<T.ScaleBlock> => this.request('GET', '/scale', undefined, options);

  camera = (options?: CallOptions): Promise<T.CameraInfo> => this.request('GET', '/camera', undefined, options);
  /** A picture taken now, as JPEG. */
  cameraFrame = (options: CallOptions = {}): Promise<Blob> =>
    this.#transport.send('GET', '/camera/frame', options, blobOf);
  /** For an `<img>`: picture after picture, for one viewer at a time. */
  cameraStreamUrl = (): string => this.#transport.url('/camera/stream');
  configureCamera = (patch: T.CameraConfig, options?: CallOptions): Promise<T.CameraStored> =>
    this.request('PUT', '/camera/config', patch, options);

  network = (options?: CallOptions): Promise<T.NetworkView> => this.request('GET', '/network', undefined, options);
  setWifi = (wifi: T.WifiBody, options?: CallOptions): Promise<T.WifiStored> =>
    this.request('POST', '/network', wifi, options);
  setIpv4 = (ipv4: T.Ipv4Body, options?: CallOptions): Promise<T.Ipv4Stored> =>
    this.request('PUT', '/network/ipv4', ipv4, options);
  /** On the setup network of a node that has no other. */
  provision = (wifi: T.WifiBody, options?: CallOptions): Promise<T.WifiStored> =>
    this.request('POST', '/provision', wifi, options);
  peers = (options?: CallOptions): Promise<T.PeerList> => this.request('GET', '/peers', undefined, options);
  rename = (name: string, options?: CallOptions): Promise<T.NodeNamed> =>
    this.request('PUT', '/name', { name }, options);

  bootlog = (options?: CallOptions): Promise<T.BootlogView> => this.request('GET', '/bootlog', undefined, options);
  clearBoots = (options?: CallOptions): Promise<T.Done> => this.request('DELETE', '/bootlog/boots', undefined, options);
  clearCrash = (options?: CallOptions): Promise<T.Done> => this.request('DELETE', '/bootlog/crash', undefined, options);
  mark = (mark: T.CaptureMark, options?: CallOptions): Promise<T.CaptureMarked> =>
    this.request('POST', '/capture/mark', mark, options);

  /** What the diagnostic ring holds, oldest first. */
  async *capture({ signal, timeoutMs = RECORD_MS }: CallOptions = {}): AsyncGenerator<T.CaptureRecord, void> {
    const deadline = new Deadline(signal);
    try {
      deadline.start(timeoutMs);
      const response = await this.#transport.once('GET', '/capture', { signal }, deadline.signal, async (same) => same);
      for await (const line of linesOf(response, deadline, timeoutMs)) yield JSON.parse(line) as T.CaptureRecord;
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof NodeError) throw error;
      throw new NodeError(error instanceof SyntaxError ? 'bad_answer' : 'unreachable', 0, String(error));
    } finally {
      deadline.end();
    }
  }

  cloud = (options?: CallOptions): Promise<T.CloudView> => this.request('GET', '/cloud', undefined, options);
  setCloud = (patch: T.CloudPatch, options?: CallOptions): Promise<T.CloudStored> =>
    this.request('PUT', '/cloud', patch, options);

  update = (request: T.UpdateRequest, options?: CallOptions): Promise<T.UpdateStored> =>
    this.request('PUT', '/update', request, options);
  /** Sends an image, which the node restarts onto. A Blob is read as it is sent, but for its digest. */
  async upload(image: Blob | Uint8Array, options: UploadOptions = {}): Promise<T.UpdateInstalled> {
    const { sha256 = await digestOf(image), allowVariantChange = false, signal, timeoutMs = UPLOAD_MS } = options;
    const headers = {
      'X-NODE-Image-Sha256': sha256,
      ...(allowVariantChange && { 'X-NODE-Allow-Variant-Change': '1' }),
    };
    const body = image as Blob | Uint8Array<ArrayBuffer>;
    return this.#transport.request('POST', '/update', { body, headers, signal, timeoutMs });
  }
  restart = (id: string, options?: CallOptions): Promise<T.Restarting> =>
    this.request('POST', '/restart', { type: 'restart', id }, options);
}

async function digestOf(image: Blob | Uint8Array): Promise<string> {
  if (globalThis.crypto?.subtle === undefined) throw new TypeError('there is no crypto.subtle here: give the sha256');
  const bytes = image instanceof Blob ? await image.arrayBuffer() : image;
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
