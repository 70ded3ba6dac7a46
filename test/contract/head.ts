/** One route, asked with HEAD and with GET. */
import { request } from 'node:http';
import { expect } from 'vitest';
import type { Shop } from './shop.ts';

interface Head {
  readonly status: number;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly bytes: number;
}

/** The header of the answer, and for HEAD what came behind it. A body that GET brings is not waited for. */
function ask(node: Shop, method: 'GET' | 'HEAD', path: string): Promise<Head> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(node.url);
    const asked = request({ hostname, port, path, method, agent: false }, (answer) => {
      const { statusCode: status = 0, headers } = answer;
      // How a body is framed is said with the body.
      const { date: _date, 'transfer-encoding': _coding, ...fields } = headers;
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      const done = () => resolve({ status, fields, bytes });
      answer.on('end', done).on('error', () => {});
      if (method === 'HEAD') return;
      done();
      asked.destroy();
    });
    asked.on('error', reject).end();
  });
}

/** Numbers that grow by themselves, and new pictures, change the length of these. */
const GROWS = /^\/(status|bootlog|peripherals|devices\/unknown|scale|scans|peers|jobs|metrics|network|camera\/frame)$/;
const ENDLESS = /^\/(events|capture|camera\/stream)$/;

/** HEAD may leave out how long a body is that is made while it is sent; if it says so, it is so. */
export async function expectSame(node: Shop, path: string): Promise<void> {
  const [head, get] = [await ask(node, 'HEAD', path), await ask(node, 'GET', path)];
  expect([path, head.bytes]).toEqual([path, 0]);
  const { 'content-length': says, ...fields } = head.fields;
  const { 'content-length': has, ...expected } = get.fields;
  expect({ path, status: head.status, fields }).toEqual({ path, status: get.status, fields: expected });
  if (head.status === 200 && ENDLESS.test(path)) expect([path, says]).toEqual([path, undefined]);
  else if (head.status === 200 && GROWS.test(path)) expect([path, Number(says) > 0]).toEqual([path, true]);
  else expect([path, says]).toEqual([path, has]);
}
