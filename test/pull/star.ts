/** A server of CloudPRNT on the loopback interface, with the semantics of WooCommerce POS's. */
import type { IncomingHttpHeaders } from 'node:http';
import { type Answer, serve, type TestServer } from './servers.ts';

/** A job that waits. */
export interface Offered {
  readonly token?: string;
  readonly types: readonly string[];
  readonly headers?: Record<string, string>;
  readonly body: string | Uint8Array;
  readonly rest?: object;
}

/** Offers the first job until its DELETE comes; `failing` answers in place of what would be, and cuts the connection by the status 0. */
export interface StarServer extends TestServer {
  readonly queue: Offered[];
  readonly asked: string[];
  readonly polls: Record<string, unknown>[];
  readonly codes: string[];
  failing:
    | ((method: string, url: URL, headers: IncomingHttpHeaders) => Answer | undefined | Promise<undefined>)
    | undefined;
  action: object | undefined;
}

export async function starServer(): Promise<StarServer> {
  const star: Omit<StarServer, keyof TestServer> = {
    ...{ queue: [], asked: [], polls: [], codes: [] },
    ...{ failing: undefined, action: undefined },
  };
  const served = await serve(async (request, body, url) => {
    const method = request.method ?? '';
    star.asked.push(method);
    const other = await star.failing?.(method, url, request.headers);
    if (other !== undefined) return other.status === 0 ? undefined : other;
    const [job] = star.queue;
    if (method === 'POST') {
      star.polls.push(JSON.parse(body) as Record<string, unknown>);
      const { action } = star;
      star.action = undefined;
      const offer = job && { jobToken: job.token, mediaTypes: job.types, ...job.rest };
      return {
        body: JSON.stringify({
          jobReady: job !== undefined,
          ...offer,
          ...(action !== undefined && { clientAction: action }),
        }),
      };
    }
    if (job === undefined) return { status: 404 };
    if (method === 'DELETE' || url.searchParams.has('delete')) {
      star.queue.shift();
      star.codes.push(url.searchParams.get('code') ?? '');
      return {};
    }
    return { headers: { 'Content-Type': url.searchParams.get('type') ?? '', ...job.headers }, body: job.body };
  });
  return Object.assign(star, served);
}
