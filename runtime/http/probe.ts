/** Checks that the HTTP front still responds, by a request for the status over loopback. */
import { request } from 'node:http';

/** Time limit for the response: long enough for a busy machine. */
const PATIENCE_MS = 5000;
/** Always over IPv4: the loopback interface may have no IPv6 address. */
const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '127.0.0.1' };

/**
 * Resolves with false if no response comes in time or nothing listens on the port. True for any response, also for a
 * connection that is closed without one (a front at its connection limit does so), and if the request cannot be sent.
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
