/** The button in real time, with windows short enough to wait for. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { VirtualButtons } from '../../../runtime/bindings/virtual/buttons.ts';
import { Button } from '../../../runtime/services/custody/button.ts';
import type { Gesture } from '../../../runtime/services/custody/gestures.ts';
import { until } from '../../node.ts';

const WINDOWS = { forgetFrom: 20, forgetBefore: 40, clearHeld: 80, bounce: 5 };

async function start() {
  const gestures: Gesture[] = [];
  const button = new Button((gesture) => gestures.push(gesture), WINDOWS);
  const buttons = new VirtualButtons();
  await buttons.start(button);
  onTestFinished(() => button.stop());
  return { gestures, button, buttons };
}

/** A connection whose bytes wait in the kernel until the process reads. */
async function wire(): Promise<{ near: Socket; far: Socket }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const near = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1');
  const [far] = (await once(server, 'connection')) as [Socket];
  onTestFinished(() => {
    near.destroy();
    far.destroy();
    server.close();
  });
  return { near, far };
}

describe('the B button', () => {
  it('acts while it is still held, and not again when it is let go', async () => {
    const { gestures, buttons } = await start();
    buttons.press('b');
    await until(() => gestures.length > 0);
    buttons.release('b');
    buttons.hold('b', 30);
    await until(() => gestures.length > 1);
    expect(gestures).toEqual(['clear_keys', 'forget_network']);
  });

  it('acts on what its stamps say, not on when it heard of them', async () => {
    const { gestures, buttons } = await start();
    buttons.hold('b', 90);
    await until(() => gestures.length > 0);
    expect(gestures).toEqual(['clear_keys']);
  });

  it('reads a release that waits before it takes the button for held', async () => {
    const { gestures, button, buttons } = await start();
    const { near, far } = await wire();
    const pressedAt = performance.now();
    far.on('data', () => button.release('b', pressedAt + 10));
    button.press('b', pressedAt);
    near.write('up');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * WINDOWS.clearHeld);
    await once(far, 'data');
    buttons.hold('b', 30);
    await until(() => gestures.length > 0);
    expect(gestures).toEqual(['forget_network']);
  });

  it('does nothing once the node has stopped', async () => {
    const stopped = await start();
    const other = await start();
    for (const { buttons } of [stopped, other]) buttons.press('b');
    stopped.button.stop();
    stopped.buttons.release('b');
    await until(() => other.gestures.length > 0);
    for (const { buttons } of [stopped, other]) {
      buttons.release('b');
      buttons.hold('b', 30);
    }
    await until(() => other.gestures.length > 1);
    expect(stopped.gestures).toEqual([]);
  });
});
