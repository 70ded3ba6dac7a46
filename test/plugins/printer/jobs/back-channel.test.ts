/** Which bytes of a printer are the answers to a status request. */
import { expect, it } from 'vitest';
import { BackChannel } from '../../../../plugins/printer/jobs/back-channel.ts';
import type { UsbDevice, UsbPipe } from '../../../../runtime/bindings/usb.ts';

const PIPE: UsbPipe = { address: 0x82, direction: 'in', type: 'bulk', maxPacketSize: 64 };
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A printer that says what it is told to, and a status request that waits until it is released. */
function channel() {
  let give: (bytes: Uint8Array) => void = () => {};
  const device = {
    transferIn: () =>
      new Promise<Uint8Array>((resolve) => {
        give = resolve;
      }),
  };
  const passed: number[] = [];
  const back = new BackChannel(device as unknown as UsbDevice, PIPE, ({ bytes }) => void passed.push(...bytes));
  back.start();
  let release: () => void = () => {};
  const ask = () =>
    back.status(4, 500, async (sending) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      sending();
    });
  const say = async (...bytes: readonly number[]) => {
    give(Uint8Array.from(bytes));
    await turn();
  };
  const send = async () => {
    release();
    await turn();
  };
  return { back, passed, ask, say, send };
}

it('late answers to an earlier request are not those to one that still waits for the end of a command', async () => {
  const { back, ask, say, send } = channel();
  expect(await back.status(4, 1, async (sending) => sending())).toBeUndefined();
  const status = ask();
  await say(0x16, 0x12, 0x12, 0x12);
  await send();
  await say(0x1e, 0x32, 0x12, 0x72);
  expect(await status).toEqual([0x1e, 0x32, 0x12, 0x72]);
});

it('what a printer answers its client meanwhile goes to the client, though it looks like a status', async () => {
  const { passed, ask, say, send } = channel();
  const status = ask();
  await say(...Buffer.from('V2.26'));
  await send();
  await say(0x16, 0x1a, 0x12, 0x12);
  expect(await status).toEqual([0x16, 0x1a, 0x12, 0x12]);
  expect(Buffer.from(passed).toString()).toBe('V2.26');
});

it.each([
  ['more than was asked for', [0x16, 0x12, 0x12, 0x72, 0x36]],
  ['bits that no answer has', [0x16, 0x12, 0x93, 0x12, 0x12]],
  ['noise before the answers', [0xff, 0x80, 0x16, 0x12, 0x12, 0x12]],
])('nothing is believed of %s, and that is said', async (_, noise) => {
  const { back, ask, say, send } = channel();
  const status = ask();
  await send();
  await say(...noise);
  expect([await status, back.isGarbled]).toEqual([undefined, true]);
});

it('noise between two requests makes the next one wait for what comes too much', async () => {
  const { back, ask, say, send } = channel();
  await say(0xc3, 0x55);
  const status = ask();
  await send();
  await say(0x36, 0x36, 0x72, 0x36);
  await say(0x16);
  expect([await status, back.isGarbled]).toEqual([undefined, true]);
});

it('what a printer says unasked by its own rules spoils no answer', async () => {
  const { back, ask, say, send } = channel();
  const status = ask();
  await send();
  await say(0x16, 0x14, 0x00, 0x00, 0x0f, 0x12, 0x02, 0x12, 0x5f, 0x41, 0x00, 0x12);
  expect([await status, back.isGarbled]).toEqual([[0x16, 0x12, 0x12, 0x12], false]);
});
