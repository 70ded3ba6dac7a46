/** Moving house: the settings of one node on another, and what they do not carry. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { NodeClient } from '../../../runtime/client/client.ts';
import { startTestNode } from '../../../runtime/node/testing.ts';
import { backup, readSaved, restore } from '../../../runtime/services/settings/client-backup.ts';
import { twinPlugins, wifiPlugins } from '../../plugins.ts';

async function box(plugins = wifiPlugins): Promise<NodeClient> {
  const node = await startTestNode({ plugins });
  onTestFinished(() => node.stop());
  return new NodeClient({ url: node.url });
}
const SECRETS = {
  apiKey: 'correct-horse-battery',
  secret: 'open-sesame-0123456789',
  token: 'bearer-0123456789',
  updateKey: 'swordfish-0123456789',
};

async function settled(plugins = wifiPlugins): Promise<NodeClient> {
  const client = await box(plugins);
  await client.request('PUT', '/name', { name: 'Bar' });
  await client.request('PUT', '/update', { policy: 'check', updateKey: SECRETS.updateKey });
  await client.request('PUT', '/cloud', { url: 'http://192.0.2.9', token: SECRETS.token, heartbeatSeconds: 600 });
  const webhook = { url: 'http://192.0.2.9/hook', secret: SECRETS.secret };
  await client.configure({
    printWidthCols: 42,
    drawer: { pin: 5 },
    hosts: ['till.lan'],
    webhook,
    apiKey: SECRETS.apiKey,
  });
  return client;
}

describe('the settings of a node', () => {
  it('make another box the same, but for what must be typed anew', async () => {
    const saved = await backup(await settled());
    expect(saved.typeAnew.toSorted()).toEqual(['apiKey', 'cloud.token', 'updateKey', 'webhook.secret']);
    const text = JSON.stringify(saved);
    for (const secret of Object.values(SECRETS)) expect(text).not.toContain(secret);
    const other = await box();
    expect(await restore(other, readSaved(text))).toEqual({ leftOut: [], typeAnew: saved.typeAnew });
    const again = await backup(other);
    expect(again.settings).toEqual(saved.settings);
    expect(again.typeAnew).toEqual([]);
    expect(again.settings['/name']).toEqual({ name: 'Bar' });
    expect(again.settings['/update']).toEqual({ enabled: true, policy: 'check' });
  });

  it('leave out, and name, what the other box does not have', async () => {
    const saved = await backup(await settled(twinPlugins));
    const { leftOut } = await restore(await box(), saved);
    expect(leftOut).toEqual(['serial', 'camera']);
  });

  it('change nothing where a file is none, or a value is refused', async () => {
    expect(() => readSaved('{"printWidthCols": 42}')).toThrow('no file of the settings');
    const saved = await backup(await box());
    const other = await box();
    const wrong = {
      ...saved,
      settings: { '/config': { printWidthCols: 40, cutClearanceLines: 99 }, '/name': { name: 'X' } },
    };
    await expect(restore(other, wrong)).rejects.toMatchObject({ code: 'invalid_config' });
    expect((await backup(other)).settings).toEqual(saved.settings);
    const late = {
      ...saved,
      settings: {
        '/config': { printWidthCols: 40, drawer: { pin: 5 }, hosts: ['x.lan'] },
        '/cloud': { url: 'ftp://192.0.2.9' },
      },
    };
    await expect(restore(other, late)).rejects.toMatchObject({ status: 422 });
    expect((await backup(other)).settings).toEqual(saved.settings);
  });

  it('are no file where names are those of every object, or it has no end', async () => {
    const other = await box();
    const { settings } = await backup(other);
    const odd = readSaved(
      '{"tillnode":1,"settings":{"__proto__":{"x":1},"/config":{"__proto__":{"a":1},"constructor":1}}}',
    );
    expect(await restore(other, odd)).toEqual({ leftOut: ['__proto__', 'constructor'], typeAnew: [] });
    expect((await backup(other)).settings).toEqual(settings);
    const locking = readSaved('{"tillnode":1,"settings":{"/config":{"apiKey":"0123456789abcdef","apiMode":"strict"}}}');
    expect(await restore(other, locking)).toEqual({ leftOut: ['apiKey', 'apiMode'], typeAnew: [] });
    expect((await other.config()) as object).toMatchObject({ apiMode: 'open', apiKeySet: false });
    expect(() => readSaved(`{"tillnode":1,"settings":{}}${' '.repeat(300_000)}`)).toThrow('no file of the settings');
  });
});
