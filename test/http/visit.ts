/** Requests with a name and an address of their own. */
import { request as ask } from 'node:http';

export interface Page {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** A request as a phone makes it: at an address, with a name of its own choice. */
export function visit(
  { url }: { readonly url: string },
  path: string,
  headers: Record<string, string> = {},
  { method = 'GET', body = '', address = '127.0.0.1' } = {},
): Promise<Page> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(url);
    const request = ask({ host: address, port, path, method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    request.on('error', reject).end(body);
  });
}
