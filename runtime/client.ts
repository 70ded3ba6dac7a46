/** Typed client of the LAN API, for browsers and Node: the shapes are the contract's, nothing is stated twice. */
import type { Static, TSchema } from '@sinclair/typebox';
import type * as Camera from '../plugins/camera/contract.ts';
import type * as Printer from '../plugins/printer/contract.ts';
import type * as Scale from '../plugins/scale/contract.ts';
import type * as Scanner from '../plugins/scanner/contract.ts';
import type * as Bootlog from './services/bootlog/contract.ts';
import type * as Capture from './services/capture/contract.ts';
import type * as Cloud from './services/cloud/contract.ts';
import type * as Compose from './services/compose/contract.ts';
import type * as Network from './services/network/contract.ts';
import type * as Peers from './services/peers/contract.ts';
import type * as StatusRoom from './services/status/contract.ts';
import type * as Update from './services/update/contract.ts';

type Of<S extends TSchema> = Static<S>;
export type Status = Of<typeof StatusRoom.Status>;
export type Peripherals = Of<typeof StatusRoom.Peripherals>;
export type UnknownDevices = Of<typeof StatusRoom.UnknownDevices>;
export type Line = Printer.Line;
export type CommandResult = Of<typeof Printer.CommandResult>;
/** The whole configuration; its keys are those that the rooms of the image declare. */
export type Config = Readonly<Record<string, unknown>>;

export interface ClientOptions {
  /** Such as `http://node-1a2b3c4d.local`; in a page of the node itself, `''`. */
  readonly url: string;
  readonly apiKey?: string;
  readonly updateKey?: string;
  readonly fetch?: typeof fetch;
  /** A request that takes longer is given up. */
  readonly timeoutMs?: number;
}

/** What the node answered instead of what was asked for. `code` is `unreachable` where it did not answer at all. */
export class NodeError extends Error {
  readonly code: string;
  /** Of HTTP; 0 where there was no answer. */
  readonly status: number;
  readonly detail: string | undefined;
  constructor(code: string, status: number, detail?: string) {
    super(detail ? `${code}: ${detail}` : code);
    this.name = 'NodeError';
    this.code = code;
    this.status = status;
    this.detail = detail;
  }
}

const TIMEOUT_MS = 15_000;

export class NodeClient {
  readonly #options: ClientOptions;
  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Any route, also one of a plugin that this client does not know. Throws a `NodeError` on a refusal. */
  async request<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    const { url, apiKey, fetch: get = fetch, timeoutMs = TIMEOUT_MS } = this.#options;
    const response = await get(`${url}${path}`, {
      method,
      headers: apiKey === undefined ? {} : { 'X-NODE-Api-Key': apiKey },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((error: unknown) => {
      throw new NodeError('unreachable', 0, String(error));
    });
    const answer = (await response.json().catch(() => undefined)) as
      | { readonly error?: string; readonly detail?: string }
      | undefined;
    if (!response.ok) throw new NodeError(answer?.error ?? 'unreachable', response.status, answer?.detail);
    return answer as T;
  }

  status = () => this.request<Status>('GET', '/status');
  peripherals = () => this.request<Peripherals>('GET', '/peripherals');
  unknownDevices = () => this.request<UnknownDevices>('GET', '/devices/unknown');
  config = () => this.request<Config>('GET', '/config');
  configure = (patch: Config) => this.request<Config>('PUT', '/config', patch);
  print = (command: Printer.PrintCommand) => this.request<CommandResult>('POST', '/print', command);
  raw = (command: Printer.RawCommand) => this.request<CommandResult>('POST', '/raw', command);
  kickDrawer = (command: Printer.DrawerKickCommand) => this.request<CommandResult>('POST', '/drawer/kick', command);
  scans = () => this.request<Scanner.Scans>('GET', '/scans');
  clearScans = () => this.request('DELETE', '/scans');
  scale = () => this.request<Of<typeof Scale.ScaleBlock>>('GET', '/scale');
  camera = () => this.request<Of<typeof Camera.CameraInfo>>('GET', '/camera');
  network = () => this.request<Network.NetworkView>('GET', '/network');
  setWifi = (wifi: Network.WifiBody) => this.request('POST', '/network', wifi);
  setIpv4 = (ipv4: Network.Ipv4Body) => this.request('PUT', '/network/ipv4', ipv4);
  peers = () => this.request<Of<typeof Peers.Peers>>('GET', '/peers');
  rename = (name: string) => this.request('PUT', '/name', { name });
  bootlog = () => this.request<Of<typeof Bootlog.Bootlog>>('GET', '/bootlog');
  clearBoots = () => this.request('DELETE', '/bootlog/boots');
  clearCrash = () => this.request('DELETE', '/bootlog/crash');
  mark = (mark: Capture.CaptureMark) => this.request('POST', '/capture/mark', mark);
  cloud = () => this.request<Of<typeof Cloud.CloudView>>('GET', '/cloud');
  setCloud = (patch: Cloud.CloudPatch) => this.request<Of<typeof Cloud.CloudStored>>('PUT', '/cloud', patch);
  compose = (body: Compose.ComposeBody) => this.request<Of<typeof Compose.Composed>>('POST', '/compose', body);
  update = (request: Update.UpdateRequest) => this.request<Of<typeof Update.UpdateStored>>('PUT', '/update', request);
  restart = (id: string) => this.request<Of<typeof Update.Restarting>>('POST', '/restart', { type: 'restart', id });
}
