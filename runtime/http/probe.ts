/** Whether the front still does its work, asked as a client would ask: over loopback, for the status. */
import { request } from 'node:http';

/** Long enough for a machine that is busy. */
const PATIENCE_MS = 5000;
/** Over IPv4 in either case: the loopback interface may be without an IPv6 address. */
const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '127.0.0.1' };

/**
 * False when nothing comes back in time, or nobody listens. A connection that is ended without an answer was seen to,
 * by a front with too many of them; and what this machine does not let be asked is not held against it.
 */
export function answers(
  { host, port }: { readonly host: string; readonly port: number },
  patienceMs = PATIENCE_MS,
): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({
      ...{ method: 'HEAD', host: LOOPBACK[host] ?? host, port, path: '/status', agent: false },
      headers: { Host: 'localhost' },
    });
    const settle = (works: boolean) => {
      clearTimeout(deadline);
      resolve(works);
      asked.destroy();
    };
    const deadline = setTimeout(() => settle(false), patienceMs);
    asked.on('response', () => settle(true));
    asked.on('error', ({ code }: NodeJS.ErrnoException) => settle(code !== 'ECONNREFUSED'));
    asked.end();
  });
}
