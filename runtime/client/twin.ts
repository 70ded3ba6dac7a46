/** The twin's bench: its paper, and what a hand would do to its devices. */
import { blobOf } from './body.ts';
import type { CallOptions, Transport } from './transport.ts';
import type * as T from './types.ts';

export class TwinClient {
  readonly #transport: Transport;
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  #send<R>(method: string, path: string, body: object | undefined, options: CallOptions | undefined): Promise<R> {
    return this.#transport.request<R>(method, path, { ...options, ...(body && { body: JSON.stringify(body) }) });
  }

  #paper(path: string, options: CallOptions = {}): Promise<Blob> {
    return this.#transport.send('GET', path, options, blobOf);
  }

  /** What came out, as text. */
  paper = async (options?: CallOptions): Promise<string> => (await this.#paper('/twin/paper.txt', options)).text();
  paperSvg = async (options?: CallOptions): Promise<string> => (await this.#paper('/twin/paper', options)).text();
  /** What the printer took. */
  paperBytes = async (options?: CallOptions): Promise<Uint8Array> =>
    new Uint8Array(await (await this.#paper('/twin/paper.bin', options)).arrayBuffer());
  tearOff = (options?: CallOptions): Promise<T.Done> => this.#send('DELETE', '/twin/paper', undefined, options);
  printer = (change: T.TwinPrinter, options?: CallOptions): Promise<T.TwinPrinterState> =>
    this.#send('PUT', '/twin/printer', change, options);
  scan = (code: T.TwinScan, options?: CallOptions): Promise<T.Done> => this.#send('POST', '/twin/scan', code, options);
  scale = (change: T.TwinScale, options?: CallOptions): Promise<T.TwinScaleState> =>
    this.#send('PUT', '/twin/scale', change, options);
  button = (held: T.TwinButton, options?: CallOptions): Promise<T.Done> =>
    this.#send('POST', '/twin/button', held, options);
  devices = (options?: CallOptions): Promise<T.TwinDevices> => this.#send('GET', '/twin/devices', undefined, options);
  attach = (device: T.TwinAttach, options?: CallOptions): Promise<T.TwinAttached> =>
    this.#send('POST', '/twin/attach', device, options);
}
