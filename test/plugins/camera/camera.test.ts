import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { readPicture } from '../../../codecs/mjpeg.ts';
import { VirtualStorage } from '../../../runtime/bindings/virtual/storage.ts';
import { startPrintingNode, until } from '../../node.ts';
import { startCameraNode } from './node.ts';

const sizeOf = async (response: Response) => {
  const picture = readPicture(new Uint8Array(await response.arrayBuffer()));
  return picture.ok && [picture.value.width, picture.value.height];
};

describe('a picture', () => {
  it('is a whole JPEG, and an event', async () => {
    const node = await startCameraNode({ bare: true });
    const response = await node.frame();
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    const bytes = Number(response.headers.get('content-length'));
    expect(await sizeOf(response)).toEqual([640, 480]);
    const event = { type: 'camera_frame_captured', endpoint: 'camera', seq: 1, bytes, width: 640, height: 480 };
    expect(node.events).toEqual([event]);
  });

  it('is taken without claiming the camera', async () => {
    const node = await startCameraNode();
    await node.frame();
    expect(node.usb.claimedInterfaces(node.camera)).toEqual([]);
    expect((await node.get('/camera')).body['condition']).toBe('bound');
  });

  it('is for HEAD what it would be, and no event', async () => {
    const node = await startCameraNode();
    const { status, headers } = await node.head('/camera/frame');
    expect([status, headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect(Number(headers.get('content-length'))).toBeGreaterThan(0);
    node.camera.condition = 'failing';
    expect((await node.head('/camera/frame')).status).toBe(409);
    expect(node.events).toEqual([]);
  });

  it('that the camera does not give is capture_failed, and the camera silent until it gives one', async () => {
    const node = await startCameraNode();
    node.camera.condition = 'failing';
    expect(await node.get('/camera/frame')).toMatchObject({ status: 409, body: { error: 'capture_failed' } });
    expect((await node.get('/camera')).body['condition']).toBe('silent');
    node.camera.condition = 'working';
    expect((await node.frame()).status).toBe(200);
    expect((await node.get('/camera')).body['condition']).toBe('bound');
  });
});

describe('without a camera', () => {
  it('everything but GET /camera is no_camera', async () => {
    const node = await startCameraNode();
    await node.unplug();
    const refused = { status: 409, body: { error: 'no_camera' } };
    expect(await node.get('/camera/frame')).toMatchObject(refused);
    expect(await node.get('/camera/stream')).toMatchObject(refused);
    expect(await node.configure({})).toMatchObject(refused);
    expect((await node.get('/camera')).body['condition']).toBe('gone');
  });

  it('room the paths are not there', async () => {
    const node = await startPrintingNode();
    expect((await node.get('/camera')).status).toBe(404);
    await node.stop();
  });
});

describe('settings', () => {
  it('are kept once a picture was taken with them', async () => {
    const node = await startCameraNode();
    const change = { width: 320, height: 240, rotate: 90, quality: 50 };
    expect(await node.configure(change)).toEqual({ status: 200, body: { ok: true, ...change } });
    expect((await node.get('/camera')).body).toMatchObject({ width: 240, height: 320, config: change });
    expect(await sizeOf(await node.frame())).toEqual([240, 320]);
    const again = await startCameraNode({}, node.storage);
    expect((await again.get('/camera')).body['config']).toEqual(change);
  });

  it('that give no picture change nothing', async () => {
    const node = await startCameraNode();
    const before = (await node.get('/camera')).body;
    expect(await node.configure({ width: 4000 })).toMatchObject({ status: 409, body: { error: 'capture_failed' } });
    expect((await node.get('/camera')).body).toEqual(before);
    expect(node.kernel.settings.read('camera')).toBeUndefined();
  });

  it('that cannot be stored are persist_failed, and the camera goes on as it was', async () => {
    const storage = new VirtualStorage();
    const node = await startCameraNode({}, storage);
    vi.spyOn(storage, 'write').mockRejectedValue(new Error('the disk is full'));
    const change = { width: 320, height: 240 };
    expect(await node.configure(change)).toMatchObject({ status: 500, body: { error: 'persist_failed' } });
    expect((await node.get('/camera')).body).toMatchObject({ config: { width: 640, height: 480 } });
    expect(await sizeOf(await node.frame())).toEqual([640, 480]);
  });

  it('of two requests at once are tried one after the other, and both are kept', async () => {
    const node = await startCameraNode();
    const changes = [{ width: 320, height: 240 }, { rotate: 90 }, { quality: 40 }];
    const answers = await Promise.all(changes.map((change) => node.configure(change)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const all = { width: 320, height: 240, rotate: 90, quality: 40 };
    expect((await node.get('/camera')).body['config']).toEqual(all);
    expect(node.kernel.settings.read('camera')).toEqual(all);
  });

  it.each([{ rotate: 45 }, { quality: 0 }, { colour: true }])('%j are invalid', async (change) => {
    const node = await startCameraNode();
    expect(await node.configure(change)).toMatchObject({ status: 422, body: { error: 'invalid_config' } });
  });
});

describe('the stream', () => {
  it('is picture after picture, for one viewer, and goes on when settings change', async () => {
    const node = await startCameraNode();
    const { response, hangUp } = await node.open('/camera/stream');
    expect(response.headers.get('content-type')).toBe('multipart/x-mixed-replace; boundary=picture');
    let text = '';
    let changed = false;
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString('latin1');
      if (!changed) await node.configure({ width: 160, height: 120 });
      changed = true;
      if (text.split('--picture').length > 4) break;
    }
    expect(text).toMatch(/^--picture\r\nContent-Type: image\/jpeg\r\nContent-Length: \d+\r\n\r\n\xff\xd8/);
    hangUp();
    await until(async () => (await node.get('/camera')).body['streaming'] === false);
    expect(node.kernel.offered('events')?.free).toBe(4);
  });

  it('is busy for a second viewer', async () => {
    const node = await startCameraNode();
    await node.open('/camera/stream');
    expect(await node.get('/camera/stream')).toMatchObject({ status: 409, body: { error: 'stream_busy' } });
    expect((await node.get('/camera')).body['streaming']).toBe(true);
  });

  it('needs two free event slots, and HEAD takes none', async () => {
    const node = await startCameraNode();
    for (let n = 0; n < 2; n += 1) await node.open('/events');
    expect((await node.head('/camera/stream')).status).toBe(200);
    expect(node.kernel.offered('events')?.free).toBe(2);
    await node.open('/events');
    expect(await node.get('/camera/stream')).toMatchObject({ status: 503, body: { error: 'no_slots' } });
    expect((await node.head('/camera/stream')).status).toBe(503);
  });

  it('is answered, and ends, where its viewer closes its side as it asks', async () => {
    const node = await startCameraNode();
    const { hostname, port } = new URL(node.url);
    const viewer = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    let answer = '';
    viewer.setEncoding('latin1').on('data', (chunk: string) => {
      answer += chunk;
    });
    viewer.end('GET /camera/stream HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(viewer, 'end');
    expect([answer.slice(0, 12), answer.slice(-5)]).toEqual(['HTTP/1.1 200', '0\r\n\r\n']);
    expect(node.kernel.offered('events')?.free).toBe(4);
    expect((await node.get('/camera')).body['streaming']).toBe(false);
  });

  it('ends when the camera is pulled out', async () => {
    const node = await startCameraNode();
    const { response } = await node.open('/camera/stream');
    const whole = response.arrayBuffer();
    await node.unplug();
    await whole;
    expect(node.kernel.offered('events')?.free).toBe(4);
  });
});
