import { describe, expect, it } from 'vitest';
import discovery from '../../../runtime/services/discovery/index.ts';
import { settingsNodes } from '../settings/node.ts';

const node = settingsNodes(discovery);

describe('the compatibility profile', () => {
  it('is generic on a new node', async () => {
    expect((await node()).config()).toMatchObject({ profile: 'generic', customProfile: {} });
  });

  it('custom needs make and model, stored before or sent along', async () => {
    const { put, config } = await node();
    expect((await put({ profile: 'custom' })).code).toBe('invalid_config');
    expect((await put({ profile: 'custom', customProfile: { make: 'ACME' } })).code).toBe('invalid_config');
    expect((await put({ customProfile: { make: 'ACME' } })).code).toBe('ok');
    expect((await put({ profile: 'custom', customProfile: { model: 'Roadrunner 80' } })).code).toBe('ok');
    expect(config()).toMatchObject({ profile: 'custom', customProfile: { make: 'ACME', model: 'Roadrunner 80' } });
  });

  it.each([
    [{ profile: 'no such printer' }, 'invalid_config'],
    [{ customProfile: { make: '' } }, 'invalid_config'],
    [{ customProfile: { ty: 'x'.repeat(63) } }, 'ok'],
    [{ customProfile: { ty: 'é'.repeat(32) } }, 'invalid_config'],
    [{ customProfile: { colour: 'red' } }, 'invalid_config'],
  ])('answers %j with %s', async (patch, code) => {
    expect((await (await node()).put(patch)).code).toBe(code);
  });
});
