/** Jobs of CloudPRNT that lie elsewhere than where a server is asked for them (`jobGetUrl`, `jobConfirmationUrl`). */
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type PrintingNode, startPrintingNode, until } from '../node.ts';
import { startPull } from './pulling.ts';
import { serve, type TestServer } from './servers.ts';

let node: PrintingNode;
beforeEach(async () => {
  node = await startPrintingNode();
  return () => node.stop();
});

const paper = () => Buffer.from(node.printer.paperBytes()).toString('latin1');
const options = ({ url }: TestServer) => ({ server: url, node: node.url, protocol: 'cloudprnt' });

/** Offers one job with these URLs until it is given back; keeps what it is asked for. */
async function offering(urls: object) {
  const asked: { readonly method: string; readonly path: string; readonly query: URLSearchParams; width: unknown }[] =
    [];
  const server = await serve((request, _body, { pathname, searchParams }) => {
    const method = request.method ?? '';
    asked.push({ method, path: pathname, query: searchParams, width: request.headers['x-star-print-width'] });
    if (method === 'GET') return { headers: { 'Content-Type': 'text/plain' }, body: '<1>\n' };
    const isOver = asked.some((each) => each.method === 'DELETE');
    const offer = { jobReady: true, jobToken: 't', mediaTypes: ['text/plain'], ...urls };
    return { body: JSON.stringify(isOver ? { jobReady: false } : offer) };
  });
  onTestFinished(() => server.close());
  return { ...server, asked };
}

describe('jobs of CloudPRNT that lie elsewhere', () => {
  it('are fetched and given back there, with what a server asks for at its own URL', async () => {
    const server = await offering({ jobGetUrl: '/jobs/7?key=a%20b', jobConfirmationUrl: '/done' });
    await startPull(options(server));
    await until(() => server.asked.some(({ method }) => method === 'DELETE'));
    const [, get, confirmation] = server.asked;
    expect([get?.path, get?.query.get('key'), get?.query.get('type'), get?.query.get('token')]).toEqual([
      ...['/jobs/7', 'a b', 'text/plain', 't'],
    ]);
    expect(get?.width).toBe('72');
    expect([confirmation?.path, confirmation?.query.get('token'), confirmation?.query.get('code')]).toEqual([
      ...['/done', 't', '200 OK'],
    ]);
    expect(paper()).toContain('<1>');
  });

  it('are given back there after a start, too', async () => {
    let isUp = false;
    const given: string[] = [];
    const server = await serve((request, _body, { pathname }) => {
      if (request.method === 'GET') return { headers: { 'Content-Type': 'text/plain' }, body: '<1>\n' };
      if (request.method === 'DELETE' && isUp) given.push(pathname);
      if (request.method === 'DELETE') return { status: isUp ? 200 : 503 };
      const offer = { jobToken: 't', mediaTypes: ['text/plain'], jobConfirmationUrl: '/done' };
      return { body: JSON.stringify({ jobReady: !isUp, ...offer }) };
    });
    onTestFinished(() => server.close());
    const first = await startPull(options(server));
    await until(() => paper().includes('<1>'));
    await first.stop();
    isUp = true;
    await startPull(options(server), [], first.state);
    await until(() => given.length > 0);
    expect([given, paper().split('<1>').length - 1]).toEqual([['/done'], 1]);
  });

  it.each([
    ['another host', 'http://127.0.0.1:9/a'],
    ['another scheme', 'file:///etc/passwd'],
    ['a user and password', 'https://a:b@shop.example/'],
    ['no end', `https://shop.example/${'a'.repeat(3000)}`],
  ])('are not looked for at a URL with %s, and the log says so', async (_, jobGetUrl) => {
    const server = await offering({ jobGetUrl });
    const { log } = await startPull(options(server));
    await until(() => log.some((line) => line.includes('jobGetUrl')));
    expect(log.join()).not.toContain(jobGetUrl);
    expect(server.asked.every(({ method }) => method === 'POST')).toBe(true);
  });
});
