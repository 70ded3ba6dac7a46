/** The camera's settings among those that move house (runtime/services/settings/client-backup.ts). */
import { expect, it } from 'vitest';
import { NodeClient } from '../../../runtime/client/client.ts';
import { backup, restore } from '../../../runtime/services/settings/client-backup.ts';
import { startCameraNode } from './node.ts';

const SETTINGS = { width: 320, height: 240, quality: 60, rotate: 90 };

async function saved() {
  const node = await startCameraNode();
  expect((await node.configure(SETTINGS)).status).toBe(200);
  return backup(new NodeClient({ url: node.url }));
}

it('pictures are on the other box as they were', async () => {
  const other = await startCameraNode();
  expect(await restore(new NodeClient({ url: other.url }), await saved())).toMatchObject({ leftOut: [] });
  expect((await other.get('/camera')).body['config']).toEqual(SETTINGS);
});

it('another box whose camera gives no picture with them is told, and has the rest', async () => {
  const file = await saved();
  const other = await startCameraNode();
  other.camera.condition = 'failing';
  const moved = { ...file, settings: { ...file.settings, '/name': { name: 'Bar' } } };
  expect(await restore(new NodeClient({ url: other.url }), moved)).toMatchObject({ leftOut: ['camera'] });
  expect((await other.get('/camera')).body['config']).not.toEqual(SETTINGS);
  expect((await other.get('/status')).body['identity']).toMatchObject({ name: 'Bar' });
});
