/** The camera of the twin. */
import { afterEach, describe, expect, it } from 'vitest';
import { type Counter, startCounter } from '../twin/counter.ts';

let node: Counter;
afterEach(() => node.stop());

describe('the camera of the twin', () => {
  it('takes pictures', async () => {
    node = await startCounter();
    const response = await fetch(`${node.url}/camera/frame`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  });

  it('is not there once it is taken off the bus', async () => {
    node = await startCounter();
    await node.attach('046d:0825', false);
    expect(await node.call('/camera/frame')).toMatchObject({ error: 'no_camera' });
  });
});
