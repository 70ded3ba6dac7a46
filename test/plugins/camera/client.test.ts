import { expect, it } from 'vitest';
import { createVirtualDevice as camera } from '../../../plugins/camera/virtual.ts';
import { NodeClient } from '../../../runtime/client/client.ts';
import { startWithClient } from '../../client/node.ts';
import { refused } from '../../client/refusals.ts';
import { serve } from '../../client/server.ts';

it('the client takes a picture as JPEG, and says where the moving one is', async () => {
  const { client, node } = await startWithClient({ camera });
  const frame = await client.cameraFrame();
  expect(frame.type).toBe('image/jpeg');
  expect([...new Uint8Array(await frame.arrayBuffer()).subarray(0, 2)]).toEqual([0xff, 0xd8]);
  const stream = await fetch(client.cameraStreamUrl());
  expect(stream.headers.get('content-type')).toMatch(/^multipart\/x-mixed-replace/);
  await stream.body?.cancel();
  await node.stop();
});

it('a picture is asked for once where the error table says no', async () => {
  const no = await serve((_, response) => response.writeHead(409).end('{"ok":false,"error":"no_camera"}'));
  expect((await refused(new NodeClient({ url: no.url }).cameraFrame().then(() => {}))).code).toBe('no_camera');
  expect(no.requests).toHaveLength(1);
});
