/** Servers of jobs on the loopback interface, with the semantics of Odoo's controller and of WooCommerce POS's. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Leaf } from '../http/certificates.ts';
import { freePort } from '../ports.ts';

export type Answer = {
  readonly status?: number;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Uint8Array;
  /** The connection is cut behind the body. */
  readonly cut?: boolean;
};
/** Handles a request; undefined: the connection is cut without an answer. */
type Handle = (request: IncomingMessage, body: string, url: URL) => Answer | undefined | Promise<Answer | undefined>;

export interface TestServer {
  readonly url: string;
  /** `gently`: what it has begun to answer arrives. */
  close(gently?: boolean): Promise<void>;
}

/** `secure`: by https, with this certificate. */
export async function serve(handle: Handle, port?: number, secure?: Leaf): Promise<TestServer> {
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', async () => {
      const url = new URL(request.url ?? '/', 'http://a.test');
      const answer = await handle(request, Buffer.concat(pieces).toString(), url);
      if (answer === undefined) request.socket.destroy();
      else {
        response.writeHead(answer.status ?? 200, answer.headers);
        if (answer.cut) response.write(answer.body ?? '', () => request.socket.end());
        else response.end(answer.body ?? '');
      }
    });
    request.on('error', () => {});
  };
  const server = secure === undefined ? createServer(listener) : createSecureServer(secure, listener);
  server.listen(port ?? (await freePort()), '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http${secure === undefined ? '' : 's'}://127.0.0.1:${(server.address() as AddressInfo).port}/pos/printer/polling/1/0123456789/get_print_jobs`,
    close: async (gently = false) => {
      server.close();
      if (gently) server.closeIdleConnections();
      else server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

export const EPOS = 'http://www.epson-pos.com/schemas/2011/03/epos-print';
/** An `ePOSPrint` as Odoo has it. */
export const eposPrint = (id: string, body: string) =>
  `<ePOSPrint><Parameter><devid>local_printer</devid><timeout>10000</timeout><printjobid>${id}</printjobid></Parameter>` +
  `<PrintData><epos-print xmlns="${EPOS}">${body}</epos-print></PrintData></ePOSPrint>`;
export const requestInfo = (jobs: readonly string[]) =>
  `<PrintRequestInfo Version="2.00">${jobs.join('')}</PrintRequestInfo>`;

export interface Heard {
  readonly id: string | undefined;
  readonly success: boolean;
  readonly code: string;
  readonly detail: string | undefined;
}

/** What Odoo reads of a ResponseFile. */
export function resultsIn(form: URLSearchParams): Heard[] {
  const file = form.get('ResponseFile') ?? '';
  return [...file.matchAll(/<ePOSPrint>.*?<\/ePOSPrint>/gs)].map(([part]) => ({
    id: /<printjobid>(.*?)<\/printjobid>/.exec(part)?.[1],
    success: /\bsuccess="(.*?)"/.exec(part)?.[1] === 'true',
    code: /\bcode="(.*?)"/.exec(part)?.[1] ?? '',
    detail: /\bdetail="(.*?)"/.exec(part)?.[1],
  }));
}

export interface OdooServer extends TestServer {
  /** Receipts that wait: all are handed out with the next request, and forgotten (`unlink` in Odoo's controller). */
  readonly queue: { readonly id: string; readonly body: string }[];
  readonly heard: Heard[];
  /** Values of `ConnectionType`, in order. */
  readonly asked: string[];
  readonly forms: URLSearchParams[];
}

/** Odoo's controller (odoo/odoo, addons/point_of_sale/controllers/printer.py). `most`: receipts in one answer. */
export async function odooServer({
  most = Number.POSITIVE_INFINITY,
  before,
}: {
  most?: number;
  before?: (request: IncomingMessage) => Answer | undefined;
} = {}): Promise<OdooServer> {
  const queue: OdooServer['queue'] = [];
  const heard: Heard[] = [];
  const asked: string[] = [];
  const forms: URLSearchParams[] = [];
  const server = await serve((request, body) => {
    const form = new URLSearchParams(body);
    forms.push(form);
    asked.push(form.get('ConnectionType') ?? '');
    const other = before?.(request);
    if (other !== undefined) return other;
    const headers = { 'Content-Type': 'text/xml; charset=utf-8' };
    if (form.get('ConnectionType') === 'SetResponse') heard.push(...resultsIn(form));
    // What it does not know, as SetStatus, fails in it.
    else if (form.get('ConnectionType') !== 'GetRequest') return { status: 500 };
    if (form.get('ConnectionType') !== 'GetRequest' || queue.length === 0) return { headers };
    const out = queue.splice(0, most);
    return { headers, body: requestInfo(out.map((each) => eposPrint(each.id, each.body))) };
  });
  return { ...server, queue, heard, asked, forms };
}
