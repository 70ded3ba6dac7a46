/** A node that gets no place for an image: what it is told, and when it is to come again. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { Gate, gated, refusing } from '../../runtime/fleet/firmware/gate.ts';
import { Busy } from '../../runtime/fleet/http/errors.ts';

const full = () => {
  const gate = new Gate();
  const places = Array.from({ length: 64 }, (_, at) => gate.enter(`192.0.2.${at}`, () => {}));
  return { gate, places };
};

it('the gate of images tells those that it refuses to come one after the other, as places become free, and never later than 300 s', () => {
  const { gate, places } = full();
  // Two seconds each, of 64 places, and a quarter more.
  const waits = Array.from({ length: 4000 }, () => gate.refusal('198.51.100.1', 0) ?? 0);
  expect(waits.slice(0, 400)).toEqual(Array.from({ length: 400 }, (_, at) => Math.ceil(5 + at / 40)));
  expect(waits.at(-1)).toBe(105);
  const more = Array.from({ length: 10_000 }, () => gate.refusal('198.51.100.1', 0) ?? 0);
  expect(Math.max(...more)).toBe(300);
  expect(Math.min(...more.slice(-1000))).toBeGreaterThanOrEqual(150);
  places[0]?.leave();
  expect(gate.refusal('198.51.100.1')).toBeUndefined();
});

it('the gate of images lets no more in than places are free, and gives each back once', () => {
  const { gate, places } = full();
  expect(() => gate.enter('198.51.100.1', () => {})).toThrow(Busy);
  places[0]?.leave();
  places[0]?.leave();
  gate.enter('198.51.100.1', () => {});
  expect(() => gate.enter('198.51.100.1', () => {})).toThrow(Busy);
});

it('the gate of images gives the place of one that got less than 16 KB a second for half a minute to another', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const gate = new Gate();
  const gone: number[] = [];
  const places = Array.from({ length: 64 }, (_, at) => gate.enter(`192.0.2.${at}`, () => gone.push(at)));
  const mayEnter = () => gate.refusal('198.51.100.1') === undefined;
  vi.advanceTimersByTime(29_999);
  expect(mayEnter()).toBe(false);
  for (const place of places) place.took(30 * 16 * 1024);
  vi.advanceTimersByTime(1);
  expect(mayEnter()).toBe(false);
  vi.advanceTimersByTime(29_998);
  for (const [at, place] of places.entries()) place.took((at === 7 ? 29 : 30) * 16 * 1024);
  expect(mayEnter()).toBe(false);
  vi.advanceTimersByTime(1);
  expect(mayEnter()).toBe(true);
  // Nobody goes before another one comes.
  expect(gone).toEqual([]);
  gate.enter('198.51.100.1', () => {});
  expect(gone).toEqual([7]);
  places[7]?.leave();
  expect(mayEnter()).toBe(false);
});

it('the gate of images counts from half a minute to half a minute: who took much at once and then next to nothing gives way, too', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { gate, places } = full();
  const mayEnter = () => gate.refusal('198.51.100.1') === undefined;
  for (const place of places) place.took(23_500_000);
  for (let second = 1; second < 30; second += 1) {
    vi.advanceTimersByTime(1000);
    for (const place of places) place.took(1);
    expect(mayEnter()).toBe(false);
  }
  vi.advanceTimersByTime(1000);
  expect(mayEnter()).toBe(true);
  // One that goes on at its pace keeps its place.
  for (const place of places) place.took(30 * 16 * 1024);
  expect(mayEnter()).toBe(false);
});

it.each([
  [false, 'close'],
  [true, undefined],
])(
  'the gate of images refuses before the application is asked, whatever else is asked of it (behind a proxy: %s)',
  (isProxy, closes) => {
    const asked: (string | undefined)[] = [];
    const addresses: string[] = [];
    const told = gated(
      { refusal: (address) => (addresses.push(address) > 0 ? 7 : undefined) },
      isProxy,
      ({ url }) => void asked.push(url),
    );
    const said: [number, string | undefined, number][] = [];
    const ask = (method: string, url: string, remoteAddress = '192.0.2.1') =>
      told(
        { method, url, headers: { 'x-forwarded-for': '192.0.2.8, 192.0.2.9' }, socket: { remoteAddress } } as never,
        {
          writeHead: (status: number, fields: Record<string, string | number>) =>
            said.push([status, fields['Connection'] as string | undefined, Number(fields['Retry-After'])]),
          end: () => {},
        } as never,
      );
    const image = `/firmware/${'0'.repeat(64)}`;
    ask('GET', image);
    for (const [method, url] of [
      ['HEAD', image],
      ['GET', '/firmware'],
      ['POST', image],
      ['GET', `${image}0`],
    ] as const)
      ask(method, url);
    expect(said).toEqual([[503, closes, 7]]);
    expect(asked).toEqual([image, '/firmware', image, `${image}0`]);
    expect(addresses).toEqual([isProxy ? '192.0.2.9' : '192.0.2.1']);
  },
);

it('the first request of a connection is refused by its bytes where it is for an image, whole and alone', () => {
  let places = false;
  const addresses: string[] = [];
  const gate = { refusal: (address: string) => (addresses.push(address) > 0 && !places ? 7 : undefined) };
  const told = (bytes: string, behindProxy = false) =>
    refusing(gate, behindProxy)(Buffer.from(bytes), '192.0.2.1')?.toString();
  const path = `/firmware/${'a'.repeat(64)}`;
  const image = `GET ${path} HTTP/1.1\r\nHost: fleet\r\n\r\n`;
  const [head = '', body = ''] = (told(image) ?? '').split('\r\n\r\n');
  expect(head.split('\r\n')[0]).toBe('HTTP/1.1 503 Service Unavailable');
  expect(head.split('\r\n')).toEqual(
    expect.arrayContaining(['Retry-After: 7', 'Connection: close', `Content-Length: ${body.length}`]),
  );
  expect(JSON.parse(body)).toMatchObject({ ok: false, error: 'busy' });
  for (const other of [
    image.replace('GET', 'HEAD'),
    image.replace('a ', 'b0 '),
    image.replace('1.1', '1.0'),
    image.slice(0, 40),
    image.slice(0, -2),
    `${image}GET / HTTP/1.1\r\n`,
    `${image}${image}`,
    `POST /heartbeat HTTP/1.1\r\nX: ${image}`,
  ])
    expect([other, told(other)]).toEqual([other, undefined]);
  // A proxy says who asks, and has others behind it.
  expect(told(image, true)).toBeUndefined();
  expect(addresses).toEqual(['192.0.2.1']);
  places = true;
  expect(told(image)).toBeUndefined();
});
