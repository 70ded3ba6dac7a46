import { once } from 'node:events';
import { expect, it } from 'vitest';
import corpus from '../spec/malformed-http.json' with { type: 'json' };
import { bodyOf, openSocket, startFront, statusOf } from './kernel.ts';

interface Entry {
  readonly name: string;
  readonly request: string;
  readonly status: number;
  readonly error?: string;
}
const entries: readonly Entry[] = corpus;

/** Whole, and cut in two behind the first byte, in the request line, in the fields, and before the last byte. */
const cuts = ({ length }: string) => [...new Set([length, 1, 7, Math.floor(length / 2), length - 2, length - 1])];

/** All that comes back: the client reads one answer, then closes its side and waits for the server to close too. */
async function ask(port: number, request: string, cut: number): Promise<string> {
  const socket = openSocket(port).setNoDelay(true);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1');
    const [header = '', body] = answer.split('\r\n\r\n');
    const length = Number(/^content-length: (\d+)/im.exec(header)?.[1] ?? 0);
    if (body !== undefined && body.length >= length) socket.end();
  });
  const bytes = Buffer.from(request, 'latin1');
  await new Promise<void>((sent) => socket.write(bytes.subarray(0, cut), () => setImmediate(sent)));
  if (cut < bytes.length && socket.writable) socket.write(bytes.subarray(cut));
  await once(socket, 'close');
  return answer;
}

it('the table of malformed requests has more than sixty requests', () => {
  expect(entries.length).toBeGreaterThanOrEqual(60);
});

it('every request gets the one answer of the table, however it is cut', async () => {
  const { port } = await startFront();
  const found: Entry[] = [];
  const doubled: string[] = [];
  for (const { name, request } of entries) {
    const answers = await Promise.all(cuts(request).map((cut) => ask(port, request, cut)));
    const seen = new Set(answers.map((answer) => `${statusOf(answer)} ${bodyOf(answer)['error'] ?? ''}`));
    const [status = '', error] = [...seen].join(' and ').trim().split(/ (.*)/);
    found.push({ name, request, status: Number(status), ...(error === undefined ? {} : { error }) });
    if (answers.some((answer) => answer.split('HTTP/1.1 ').length !== 2)) doubled.push(name);
  }
  expect(found).toEqual(entries);
  expect(doubled).toEqual([]);
});
