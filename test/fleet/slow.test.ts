/** Places for images that slow downloads hold. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { makeImage } from '../made-images.ts';
import { until } from '../node.ts';
import { databases, EITHER, fleetOn } from './fleet.ts';
import { upload } from './rollout.ts';

const database = databases(EITHER.at(-1)!);
/** More than the buffers of a connection hold, so that a reader who stops is one who is sent nothing. */
const IMAGE = makeImage({ variant: 'wifi', version: '0.2.0', bytes: 24_000_000 });

it('a download that got little in its time gives way where there is no place, and goes on by Range', async () => {
  const fleet = await fleetOn(await database());
  const { sha256 } = (await upload(fleet, IMAGE)).body;
  const { port } = new URL(fleet.url);
  const get = (range = '') => `GET /firmware/${sha256} HTTP/1.1\r\nHost: fleet\r\n${range}\r\n`;
  const open: Socket[] = [];
  onTestFinished(() => open.forEach((socket) => void socket.destroy()));
  /** Asks from this address, and reads the first bytes of the answer alone. */
  const begin = async (localAddress: string) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress });
    open.push(socket);
    socket.on('error', () => {});
    socket.write(get());
    await once(socket, 'readable');
    return { socket, status: String(socket.read(12)).slice(9) };
  };
  const addresses = Array.from({ length: 64 }, (_, at) => `127.0.1.${1 + Math.floor(at / 4)}`);
  const slow = await Promise.all(addresses.map(begin));
  expect(new Set(slow.map(({ status }) => status))).toEqual(new Set(['200']));
  expect((await begin('127.0.2.1')).status).toBe('503');
  // All of them get what buffers hold, and nothing for an hour.
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  vi.advanceTimersByTime(3_600_000);
  const { socket, status } = await begin('127.0.2.1');
  expect(status).toBe('200');
  const closed = () => slow.filter((each) => each.socket.destroyed || each.socket.closed).length;
  slow.forEach((each) => void each.socket.resume());
  await until(() => closed() === 1);
  socket.destroy();
});
