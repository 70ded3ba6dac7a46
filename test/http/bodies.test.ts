import { describe, expect, it } from 'vitest';
import { definePlugin } from '../../runtime/kernel/plugin.ts';
import { bodyOf, echo, exchange, startFront, statusOf } from './kernel.ts';

const LIMIT = 4096;
const send = async (url: string, body: string | Buffer, init: RequestInit = {}) => {
  const answer = await fetch(`${url}/echo`, { method: 'POST', body, ...init });
  return { status: answer.status, ...((await answer.json()) as Record<string, unknown>) };
};
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('a body', () => {
  it.each([
    { name: 'is JSON whatever its type says', body: '{"value":"x"}', status: 200, error: undefined },
    { name: 'may begin with a byte order mark', body: '\ufeff{"value":"x"}', status: 200, error: undefined },
    { name: 'may not be empty', body: '', status: 400, error: 'invalid_json' },
    { name: 'may not be cut off', body: '{"value":', status: 400, error: 'invalid_json' },
    { name: 'may not go on after its value', body: '{"value":"x"}}', status: 400, error: 'invalid_json' },
    { name: 'may not be UTF-16', body: Buffer.from('{"value":"x"}', 'utf16le'), status: 400, error: 'invalid_json' },
    {
      name: 'may not be Latin-1',
      body: Buffer.from('{"value":"\u00e9"}', 'latin1'),
      status: 400,
      error: 'invalid_json',
    },
    {
      name: 'may not hold overlong UTF-8',
      body: Buffer.from('{"value":"\u00c0\u00af"}', 'latin1'),
      status: 400,
      error: 'invalid_json',
    },
    { name: 'names nothing twice', body: '{"value":"x","value":"y"}', status: 400, error: 'invalid_json' },
    {
      name: 'names nothing twice in two spellings',
      body: '{"value":"x","v\\u0061lue" : "y"}',
      status: 400,
      error: 'invalid_json',
    },
    { name: 'may hold what looks like a name twice', body: '{"value":"\\"value\\":[{\\"value\\":"}', status: 200 },
    { name: 'has no unknown keys', body: '{"value":"x","y":1}', status: 422, error: 'invalid_command' },
    { name: 'has no __proto__', body: '{"value":"x","__proto__":{}}', status: 422, error: 'invalid_command' },
    { name: 'has no constructor', body: '{"value":"x","constructor":{}}', status: 422, error: 'invalid_command' },
    { name: 'is not coerced', body: '{"value":null}', status: 422, error: 'invalid_command' },
    { name: 'has no number past a double', body: '{"value":"x","n":1e999}', status: 422, error: 'invalid_command' },
    { name: 'is of the declared kind', body: '5', status: 422, error: 'invalid_command' },
  ])('$name', async ({ body, status, error }) => {
    const { url } = await startFront();
    expect(await send(url, body)).toMatchObject({
      status,
      ok: status === 200,
      ...(error === undefined ? {} : { error }),
    });
  });

  it('names the place and the rule where it has not its shape', async () => {
    const { url } = await startFront();
    expect(await send(url, '{"value":"x","n":"1"}')).toMatchObject({ detail: 'n: must be integer' });
    expect(await send(url, '{}')).toMatchObject({ detail: "must have required property 'value'" });
  });

  it('is nested sixteen levels deep at most', async () => {
    const { url } = await startFront();
    const put = (body: string) => send(url, body, { method: 'PUT' });
    expect(await put(nested(16))).toMatchObject({ status: 200 });
    expect(await put(nested(17))).toMatchObject({ status: 400, error: 'invalid_json' });
    expect(await put(nested(30_000))).toMatchObject({ status: 400, error: 'invalid_json' });
  });

  it('never comes back in a refusal of broken JSON', async () => {
    const { url } = await startFront();
    expect(JSON.stringify(await send(url, '{"apiKey":canary-7b1}'))).not.toContain('canary');
  });
});

describe('the size of a body', () => {
  const ofBytes = (bytes: number) => JSON.stringify({ value: 'x'.repeat(bytes - '{"value":""}'.length) });
  const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const post = (fields: string, body: string) => `POST /echo HTTP/1.1\r\nHost: node\r\n${fields}\r\n${body}`;

  it.each([
    { bytes: LIMIT, status: 200 },
    { bytes: LIMIT + 1, status: 400 },
  ])('of $bytes bytes at a route that takes 4096 is answered $status, chunked or not', async ({ bytes, status }) => {
    const { port } = await startFront();
    const body = ofBytes(bytes);
    const whole = await exchange(port, post(`Content-Length: ${bytes}\r\nConnection: close\r\n`, body));
    const inChunks = await exchange(port, post('Transfer-Encoding: chunked\r\nConnection: close\r\n', chunked(body)));
    expect([statusOf(whole), statusOf(inChunks)]).toEqual([status, status]);
    if (status === 400)
      expect([bodyOf(whole)['error'], bodyOf(inChunks)['error']]).toEqual(['invalid_body', 'invalid_body']);
  });

  it('is 64 KiB where the route says nothing', async () => {
    const { url } = await startFront();
    const put = (body: string) => send(url, body, { method: 'PUT' });
    expect(await put(ofBytes(65_536))).toMatchObject({ status: 200 });
    expect(await put(ofBytes(65_537))).toMatchObject({ status: 400, error: 'invalid_body' });
  });

  it('has its own code where a room declares one', async () => {
    const row = { code: 'body_too_large', status: 413, retry: 'no', meaning: 'over the limit' } as const;
    const { url } = await startFront({ plugins: [echo, definePlugin({ name: 'strict', api: 2, errors: [row] })] });
    expect(await send(url, ofBytes(LIMIT + 1))).toMatchObject({ status: 413, error: 'body_too_large' });
  });

  it('is refused whole to a client that is still sending', async () => {
    const { url } = await startFront();
    expect(await send(url, 'x'.repeat(900_000))).toMatchObject({ status: 400, error: 'invalid_body' });
  });
});
