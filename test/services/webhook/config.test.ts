import { describe, expect, it } from 'vitest';
import webhook from '../../../runtime/services/webhook/index.ts';
import { settingsNodes } from '../settings/node.ts';

const node = settingsNodes(webhook);
const URL_1 = 'http://receiver.local/hook';
const URL_2 = 'https://example.com:8443/hook?shop=1';
/** The certificate of an authority of nobody, whose key was not kept. */
const AUTHORITY = `-----BEGIN CERTIFICATE-----
MIIBeTCCAR+gAwIBAgIUK8EY7W36EADIQDJKYg1O7U/WMUEwCgYIKoZIzj0EAwIw
ETEPMA0GA1UEAwwGQSBzaG9wMCAXDTI2MTEyNjAyNTIxNVoYDzIxMjYxMTAyMDI1
MjE1WjARMQ8wDQYDVQQDDAZBIHNob3AwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AATBmh4eP0VJyJrze9QOwbwgXk3+jS7pvlTNAgAhKkDfGV+x3CNvTretce08PYF3
eoZ6FIHOS9iOiWQDcjmyJtJ1o1MwUTAdBgNVHQ4EFgQU+2YmYvJm/JplFJQC1O5a
/WjglDIwHwYDVR0jBBgwFoAU+2YmYvJm/JplFJQC1O5a/WjglDIwDwYDVR0TAQH/
BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEA2Iumq2YeyUuAfA7QQo/FcFOsue4o
BAnk4Tr5ArGgruMCIFg7BQ0Yhcn0wlJbh10ghMT0WZUu8M1EF6apBFPdLZ53
-----END CERTIFICATE-----
`;

describe('the webhook configuration', () => {
  it('starts without a receiver, with scans and printer status selected', async () => {
    expect((await node()).config()['webhook']).toEqual({
      url: '',
      secretSet: false,
      events: ['scan_read', 'printer_status'],
    });
  });

  it('keeps the events when a patch omits them', async () => {
    const { put, config } = await node();
    await put({ webhook: { events: ['command_result'] } });
    await put({ webhook: { url: URL_1 } });
    expect(config()['webhook']).toMatchObject({ url: URL_1, events: ['command_result'] });
  });

  it('never reads the secret back', async () => {
    const { put, config } = await node();
    const { body } = await put({ webhook: { url: URL_1, secret: 'sesame' } });
    expect(config()['webhook']).toMatchObject({ secretSet: true });
    expect(JSON.stringify([body, config()])).not.toContain('sesame');
  });

  it('drops the secret with the URL it was for', async () => {
    const { put, config, kernel, restart } = await node();
    await put({ webhook: { url: URL_1, secret: 'sesame' } });
    await put({ webhook: { url: URL_1, events: [] } });
    expect(config()['webhook']).toMatchObject({ secretSet: true });
    await put({ webhook: { url: URL_2 } });
    expect(config()['webhook']).toMatchObject({ url: URL_2, secretSet: false });
    expect((await restart()).config()['webhook']).toMatchObject({ secretSet: false });
    await put({ webhook: { url: URL_1, secret: 'new' } });
    expect(kernel.config.get('webhook')).toMatchObject({ url: URL_1, secret: 'new' });
    await put({ webhook: { secret: '' } });
    expect(config()['webhook']).toMatchObject({ url: URL_1, secretSet: false });
  });

  it.each([
    ['', 'ok'],
    [URL_1, 'ok'],
    [URL_2, 'ok'],
    ['HTTP://10.0.0.7/UPPER/../as%20given', 'ok'],
    ['http://10.0.0.7/hook#part', 'invalid_config'],
    [`http://a/${'é'.repeat(95)}`, 'ok'],
    [`http://a/${'é'.repeat(96)}`, 'invalid_config'],
    ['http://receiver.local/caf\u202eé', 'invalid_config'],
    ['http://receiver.local/\ud800', 'invalid_config'],
    [`http://a/${'x'.repeat(190)}`, 'ok'],
    [`http://a/${'x'.repeat(191)}`, 'invalid_config'],
    ['ftp://receiver.local/', 'invalid_config'],
    ['javascript:alert(1)', 'invalid_config'],
    ['receiver.local/hook', 'invalid_config'],
    ['http://', 'invalid_config'],
    ['http:///hook', 'invalid_config'],
    ['http://user:word@receiver.local/', 'invalid_config'],
    ['http://@receiver.local/', 'invalid_config'],
    ['http://receiver.local/a@b', 'ok'],
    ['http://receiver.local/a b', 'invalid_config'],
    [' http://receiver.local/', 'invalid_config'],
    ['http://receiver.local/\n', 'invalid_config'],
    ['http://receiver.local\\@evil/', 'invalid_config'],
    ['http://receivér.local/', 'invalid_config'],
    ['http://receiver.local:99999/', 'invalid_config'],
    ['http://[::1/', 'invalid_config'],
    [null, 'invalid_config'],
  ])('answers the URL %j with %s', async (url, code) => {
    expect((await (await node()).put({ webhook: { url } })).code).toBe(code);
  });

  it.each([
    ['63 bytes', 's'.repeat(63), 'ok'],
    ['64 bytes', 's'.repeat(64), 'invalid_config'],
    ['64 bytes in 32 letters', 'é'.repeat(32), 'invalid_config'],
  ])('answers a secret of %s with the right verdict', async (_name, secret, code) => {
    expect((await (await node()).put({ webhook: { secret } })).code).toBe(code);
  });

  it('refuses an event it does not know', async () => {
    const { code, detail } = await (await node()).put({ webhook: { events: ['scan_read', 'paper_jam'] } });
    expect([code, detail?.startsWith('webhook/events/1')]).toEqual(['invalid_config', true]);
  });

  it('keeps a selection that was made on an image with more rooms, and its receiver', async () => {
    const { kernel, restart } = await node();
    const before = { url: URL_1, secret: 'sesame', events: ['scan_read', 'display_shown'] };
    await kernel.settings.update((draft) => {
      draft['config'] = { webhook: before };
    });
    const { put, config } = await restart();
    expect(config()['webhook']).toEqual({ url: URL_1, secretSet: true, events: before.events });
    expect((await put({ webhook: { events: ['display_shown'] } })).code).toBe('ok');
    expect((await put({ webhook: { events: ['display_shown', 'paper_jam'] } })).code).toBe('invalid_config');
  });

  it('takes the shop’s own authority apart from it, write-only, and refuses what is none', async () => {
    const { put, config } = await node();
    expect(config()).toMatchObject({ webhookCaSet: false });
    expect((await put({ webhookCa: 'sesame' })).code).toBe('invalid_config');
    expect((await put({ webhookCa: AUTHORITY })).code).toBe('ok');
    expect(config()).toMatchObject({ webhookCaSet: true });
    expect(JSON.stringify(config())).not.toContain('BEGIN');
    expect((await put({ webhookCa: '' })).code).toBe('ok');
  });
});
