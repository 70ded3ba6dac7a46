import { describe, expect, it } from 'vitest';
import { settingsNodes } from './node.ts';

const KEY = 'first key of the shop';
const OTHER = 'another key entirely!';
const newNode = settingsNodes();

describe('the API key', () => {
  it.each([
    ['15 characters', 'x'.repeat(15), 'invalid_config'],
    ['16 characters', 'x'.repeat(16), 'ok'],
    ['128 characters', 'x'.repeat(128), 'ok'],
    ['129 characters', 'x'.repeat(129), 'invalid_config'],
    ['a space inside', 'two words of a key', 'ok'],
    ['a space at its end', 'sixteen letters  ', 'invalid_config'],
    ['a letter outside ASCII', 'sixteen lettersé', 'invalid_config'],
    ['a control character', 'sixteen letters\n', 'invalid_config'],
    ['nothing, where none is stored', '', 'ok'],
    ['null', null, 'invalid_config'],
    ['a number', 1234567890123456, 'invalid_config'],
  ])('is taken or refused by what it is made of: %s', async (_name, apiKey, code) => {
    const node = await newNode();
    expect((await node.put({ apiKey })).code).toBe(code);
    expect(node.config()['apiKeySet']).toBe(code === 'ok' && apiKey !== '');
  });

  it('is never read back, nor told in a refusal', async () => {
    const node = await newNode();
    const short = 'hunter2';
    const answers = [
      await node.put({ apiKey: short }),
      await node.put({ apiKey: KEY, hosts: 3 }),
      await node.put({ apiKey: KEY }),
    ];
    expect(answers.map(({ code }) => code)).toEqual(['invalid_config', 'invalid_config', 'ok']);
    expect(JSON.stringify([answers, node.config()])).not.toMatch(new RegExp(`${short}|${KEY}`));
    expect(answers[2]?.body).toMatchObject({ ok: true, apiKeySet: true });
  });

  it('needs no credential as the first, and the stored one ever after, in open mode too', async () => {
    const node = await newNode();
    expect((await node.put({ apiKey: KEY })).code).toBe('ok');
    for (const apiKey of [OTHER, KEY, '']) {
      expect((await node.put({ apiKey })).code).toBe('api_locked');
      expect((await node.put({ apiKey }, OTHER)).code).toBe('api_locked');
    }
    expect((await node.put({ hosts: ['till.example'] })).code).toBe('ok');
    expect((await node.put({ apiKey: OTHER }, KEY)).code).toBe('ok');
    expect((await node.put({ apiKey: '' }, KEY)).code).toBe('api_locked');
    expect((await node.put({ apiKey: '' }, OTHER)).code).toBe('ok');
    expect(node.config()['apiKeySet']).toBe(false);
  });

  it('missing is api_locked before its successor is found too short', async () => {
    const node = await newNode();
    await node.put({ apiKey: KEY });
    expect((await node.put({ apiKey: 'short' })).code).toBe('api_locked');
    expect((await node.put({ apiKey: 'short' }, KEY)).code).toBe('invalid_config');
  });

  it('is one, when several senders bring a first one at once', async () => {
    const node = await newNode();
    const keys = Array.from({ length: 20 }, (_, index) => `key of sender number ${index}`);
    const answers = await Promise.all(keys.map((apiKey) => node.put({ apiKey })));
    const winner = answers.findIndex(({ code }) => code === 'ok');
    expect(answers.filter(({ code }) => code === 'api_locked').length).toBe(19);
    expect((await node.put({ apiKey: '' }, keys[winner])).code).toBe('ok');
  });

  it('shown by two senders at once is replaced by one of them', async () => {
    const node = await newNode();
    await node.put({ apiKey: KEY });
    const answers = await Promise.all([node.put({ apiKey: OTHER }, KEY), node.put({ apiKey: '' }, KEY)]);
    expect(answers.map(({ code }) => code)).toEqual(['ok', 'api_locked']);
  });

  it('locks out a request that was let in just before it was set', async () => {
    const node = await newNode();
    const answers = await Promise.all([
      node.put({ apiKey: KEY, apiMode: 'admin' }),
      node.put({ hosts: ['stranger.example'] }),
      node.put({ hosts: ['till.example'] }, KEY),
    ]);
    expect(answers.map(({ code }) => code)).toEqual(['ok', 'api_locked', 'api_locked']);
    expect(node.config()['hosts']).toEqual([]);
  });

  it('and mode can be taken back by the node itself, which shows no credential', async () => {
    const node = await newNode();
    await node.put({ apiKey: KEY, apiMode: 'strict' });
    await node.kernel.config.patch({ apiKey: '', apiMode: 'open' });
    expect(node.config()).toMatchObject({ apiMode: 'open', apiKeySet: false });
  });
});
