import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { NodeClient } from '../../../runtime/client/client.ts';
import { startWithClient } from '../../client/node.ts';
import { serve } from '../../client/server.ts';

describe('the client', () => {
  it('sends an image as it is, with its digest and the update key', async () => {
    const image = Buffer.from('not an image that any node takes'.repeat(1000));
    const { client, node } = await startWithClient({}, { updateKey: 'update-key-0123456789' });
    for (const form of [image, new Blob([image])]) {
      await expect(client.upload(form)).rejects.toMatchObject({ code: 'ota_locked' });
    }
    await client.update({ updateKey: 'update-key-0123456789' });
    // The digest is compared before the content is looked at.
    for (const form of [image, new Blob([image])])
      await expect(client.upload(form)).rejects.toMatchObject({ code: 'image_invalid' });
    await expect(client.upload(image, { sha256: '0'.repeat(64) })).rejects.toMatchObject({
      code: 'image_digest_mismatch',
    });
    await node.stop();
    const server = await serve((_, response) => response.end('{"ok":true,"version":"1.0.0","variant":"twin"}'));
    const other = new NodeClient({ url: server.url });
    expect(await other.upload(new Blob([image]), { allowVariantChange: true })).toMatchObject({ version: '1.0.0' });
    expect(server.requests[0]?.headers).toMatchObject({
      'content-length': String(image.length),
      'x-node-image-sha256': createHash('sha256').update(image).digest('hex'),
      'x-node-allow-variant-change': '1',
    });
  });

  it('shows the update key to /update alone, beside the API key', async () => {
    const server = await serve((_, response) => response.end('{"ok":true}'));
    const client = new NodeClient({ url: `${server.url}/`, apiKey: 'the api key', updateKey: 'the update key' });
    await client.status();
    await client.update({ check: true });
    expect(server.requests.map(({ url, headers }) => [url, headers['x-node-api-key'], headers.authorization])).toEqual([
      ['/status', 'the api key', undefined],
      ['/update', 'the api key', 'Bearer the update key'],
    ]);
  });
});
