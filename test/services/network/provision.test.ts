/** POST /network and POST /provision: bodies, refusals, what is stored (specification 2.10, 3.5 and 7). */
import { describe, expect, it } from 'vitest';
import type { WifiSecurity } from '../../../runtime/bindings/network.ts';
import { VirtualStorage } from '../../../runtime/bindings/virtual/storage.ts';
import { radioInShop, SHOP, shop, TestRadio } from '../../bindings/test-radio.ts';
import { until } from '../../node.ts';
import { storageWith } from '../../storage.ts';
import { type NetworkNode, startNetworkNode } from './node.ts';

const ROUTES = ['/network', '/provision'] as const;

const inSetup = async (options: Parameters<typeof startNetworkNode>[0] = {}) => {
  const node = await startNetworkNode({ timings: { answerMs: 60_000 }, ...options });
  await until(() => node.radio.is('setup'));
  return node;
};

const wifiOf = ({ kernel }: NetworkNode) => kernel.settings.read('wifi');

describe.each(ROUTES)('POST %s', (path) => {
  const good: readonly (readonly [what: string, body: { ssid: string; password: string; band?: string }])[] = [
    ['a name and a password', SHOP],
    ['an open network', { ssid: 'Guests', password: '' }],
    ['one byte', { ssid: 'a', password: '12345678' }],
    ['32 bytes', { ssid: 'x'.repeat(32), password: '12345678' }],
    ['32 bytes of emoji', { ssid: '☕️🍰🥐'.padEnd(15, '!'), password: '12345678' }],
    ['quotes, commas and backslashes', { ssid: `Rosa's "Café"; \\,:`, password: `a"b'c\\d;e,f:` }],
    ['markup', { ssid: '<script>alert(1)</script>', password: '12345678' }],
    ['spaces at both ends', { ssid: ' Shop ', password: ' secret  ' }],
    ['63 characters', { ssid: 'Shop', password: '~'.repeat(63) }],
    ['a key of 64 digits', { ssid: 'Shop', password: 'aB09'.repeat(16) }],
    ['either band', { ...SHOP, band: 'auto' }],
    ['one of the variant’s bands', { ...SHOP, band: '5' }],
  ];

  const bad: readonly (readonly [what: string, body: unknown])[] = [
    ['no name', { password: '12345678' }],
    ['no password', { ssid: 'Shop' }],
    ['an empty name', { ssid: '', password: '12345678' }],
    ['33 bytes', { ssid: 'x'.repeat(33), password: '12345678' }],
    ['17 characters of 34 bytes', { ssid: 'é'.repeat(17), password: '12345678' }],
    ['9 emoji of 36 bytes', { ssid: '🍰'.repeat(9), password: '12345678' }],
    ['a control character in the name', { ssid: 'Shop\n', password: '12345678' }],
    ['NUL in the name', { ssid: 'Sh\u0000op', password: '12345678' }],
    ['half a character in the name', '{"ssid": "Shop\\ud83c", "password": "12345678"}'],
    ['7 characters', { ssid: 'Shop', password: 'secret7' }],
    ['64 characters that are no key', { ssid: 'Shop', password: 'g'.repeat(64) }],
    ['65 digits', { ssid: 'Shop', password: 'a'.repeat(65) }],
    ['a password beyond ASCII', { ssid: 'Shop', password: 'geheimnisß' }],
    ['a line feed in the password', { ssid: 'Shop', password: '12345678\n' }],
    ['null for an open network', { ssid: 'Shop', password: null }],
    ['a number', { ssid: 42, password: '12345678' }],
    ['a band as a number', { ...SHOP, band: 5 }],
    ['a band by itself', { band: '2.4' }],
    ['an unknown key', { ...SHOP, hidden: true }],
    ['a list', []],
  ];

  it('stores credentials of the right form and says which, without the password', async () => {
    const node = await inSetup();
    for (const [what, body] of good) {
      const answer = await node.send('POST', path, body);
      const { ssid, password, band = 'auto' } = body;
      expect([what, answer.status, answer.body]).toEqual([what, 200, { ok: true, ssid, band }]);
      expect([what, wifiOf(node)]).toEqual([what, { ssid, password, band, proven: false }]);
    }
  });

  it('answers 422 invalid_provision to all others, never with the password, and stores nothing', async () => {
    const node = await inSetup();
    for (const [what, body] of bad) {
      const answer = await node.send('POST', path, body);
      expect([what, answer.status, answer.body['error']]).toEqual([what, 422, 'invalid_provision']);
      expect(String(answer.body['detail']), what).not.toMatch(/geheimnis|secret7|12345678/);
    }
    expect(wifiOf(node)).toBeUndefined();
  });

  it('answers 400 to what is not JSON or too large', async () => {
    const node = await inSetup();
    expect(await node.send('POST', path, '{"ssid":')).toMatchObject({ status: 400, body: { error: 'invalid_json' } });
    const large = JSON.stringify({ ssid: 'x'.repeat(70_000), password: '' });
    expect(await node.send('POST', path, large)).toMatchObject({ status: 400, body: { error: 'invalid_body' } });
  });

  it('answers 500 save_failed where they cannot be stored, and nothing changes', async () => {
    const storage = new VirtualStorage();
    const node = await inSetup({ storage });
    storage.failure = (operation) => (operation === 'write' ? new Error('EIO') : undefined);
    expect(await node.send('POST', path, SHOP)).toMatchObject({ status: 500, body: { error: 'save_failed' } });
    expect(wifiOf(node)).toBeUndefined();
    storage.failure = undefined;
    expect(await node.send('POST', path, SHOP)).toMatchObject({ status: 200 });
  });

  it('answers 409 custody_hold while the stored configuration was erased, and stores nothing', async () => {
    const node = await inSetup({ storage: await storageWith({ erased: true }) });
    expect(await node.send('POST', path, SHOP)).toMatchObject({ status: 409, body: { error: 'custody_hold' } });
    expect(wifiOf(node)).toBeUndefined();
    expect((await node.get('/network')).body['custodyHold']).toBe(true);
    expect((await node.send('PUT', '/network/ipv4', {})).status).toBe(200);
  });

  it('joins after the answer is out', async () => {
    const radio = radioInShop();
    const node = await inSetup({ radio, timings: {} });
    expect((await node.send('POST', path, SHOP)).status).toBe(200);
    await until(() => radio.is('station'));
    expect((await radio.read()).ssid).toBe(SHOP.ssid);
  });
});

describe('a band that the variant’s radio has not', () => {
  it('is refused, never replaced: 400 band_unsupported on POST /network', async () => {
    const node = await inSetup({ image: { hardware: { bands: ['2.4'] } } });
    for (const band of ['5', '6']) {
      const body = { ...SHOP, band };
      expect(await node.send('POST', '/network', body)).toMatchObject({
        status: 400,
        body: { error: 'band_unsupported' },
      });
      expect(await node.send('POST', '/provision', body)).toMatchObject({
        status: 422,
        body: { error: 'invalid_provision', detail: expect.stringContaining('band') },
      });
    }
    expect(wifiOf(node)).toBeUndefined();
    for (const band of ['2.4', 'auto']) {
      expect((await node.send('POST', '/network', { ...SHOP, band })).status).toBe(200);
    }
    expect((await node.get('/network')).body['bands']).toEqual(['2.4']);
  });

  it('is told apart where the variant has both', async () => {
    const node = await inSetup({ image: { hardware: { bands: ['2.4', '5'] } } });
    expect((await node.send('POST', '/network', { ...SHOP, band: '5' })).status).toBe(200);
  });
});

describe('a locked node', () => {
  it('asks for its key on POST /network and PUT /network/ipv4, not on the setup portal', async () => {
    const config = { apiMode: 'admin', apiKey: 'correct horse battery' };
    const node = await inSetup({ storage: await storageWith({ config }) });
    expect((await node.send('POST', '/network', SHOP)).body['error']).toBe('api_locked');
    expect((await node.send('PUT', '/network/ipv4', {})).body['error']).toBe('api_locked');
    expect((await node.send('POST', '/network', SHOP, { 'X-NODE-Api-Key': config.apiKey })).status).toBe(200);
    expect((await node.send('POST', '/provision', SHOP)).status).toBe(200);
    expect((await node.get('/network')).status).toBe(200);
  });
});

describe('a node on somebody’s own computer', () => {
  it('changes no network: 409 not_appliance names --appliance', async () => {
    const node = await startNetworkNode({ appliance: false });
    const { status, body } = await node.send('POST', '/network', SHOP);
    expect([status, body['error']]).toEqual([409, 'not_appliance']);
    expect(body['detail']).toContain('--appliance');
    expect((await node.send('POST', '/network', { ssid: '' })).body['error']).toBe('invalid_provision');
    expect(wifiOf(node)).toBeUndefined();
    expect([node.radio.calls, node.radio.watchers]).toEqual([[], 0]);
  });

  it('has no setup portal', async () => {
    const node = await startNetworkNode({ appliance: false });
    expect(await node.send('POST', '/provision', SHOP)).toMatchObject({ status: 404, body: { error: 'not_found' } });
    expect((await node.get('/provision')).status).toBe(405);
  });
});

it('no password is in any answer, event or log line', async () => {
  const password = 'canary-7f3a-password';
  const node = await inSetup({ timings: { answerMs: 1 } });
  const answers = [await node.send('POST', '/provision', { ssid: 'Nowhere', password })];
  await until(() => node.radio.count('join Nowhere') > 1);
  for (const path of ['/network', '/config', '/status', '/']) {
    const response = await fetch(node.url + path);
    answers.push({ status: response.status, body: { text: await response.text() } });
  }
  expect(JSON.stringify(answers)).not.toContain(password);
  expect(node.logged.join('\n')).not.toContain(password);
});

describe('what a scan saw is told before anything is sent:', () => {
  const named = (ssid: string, security: WifiSecurity) => ({ ...shop(), ssid, security });
  const inRange = [
    { ...shop(''), ssid: 'Open' },
    named('Shop', 'personal'),
    { ...shop(''), ssid: 'Enhanced', security: 'owe' as const },
    named('Three', 'wpa3'),
    named('Both', 'transition'),
    { ...shop(''), ssid: 'Evil' },
    { ...named('Evil', 'personal'), signalDbm: -80 },
    named('Firm', 'enterprise'),
    named('Old', 'wep'),
    named('Twins', 'enterprise'),
    { ...named('Twins', 'personal'), band: '5' as const },
  ];
  const KEY = 'a0'.repeat(32);
  const cases: readonly (readonly [ssid: string, password: string, said: RegExp | undefined])[] = [
    ['Open', 'correct horse', /“Open” is open: leave the password empty/],
    ['Open', '', undefined],
    ['Enhanced', 'correct horse', /“Enhanced” is open: leave the password empty/],
    ['Enhanced', '', undefined],
    ['Shop', '', /“Shop” needs its password/],
    ['Shop', ' both ends ', undefined],
    ['Shop', KEY, undefined],
    ['Three', '', /“Three” needs its password/],
    ['Three', ' correct horse ', undefined],
    ['Three', KEY, /WPA3, which takes its password/],
    ['Both', KEY, /WPA3, which takes its password/],
    ['Both', 'correct horse', undefined],
    ['Evil', 'correct horse', undefined],
    ['Three', 'correct horse', undefined],
    ['Firm', '', /WPA Enterprise/],
    ['Firm', 'correct horse', /WPA Enterprise/],
    ['Old', 'abcdefghijklm', /WEP/],
    ['Twins', 'correct horse', undefined],
    ['Not seen', '', undefined],
  ];

  it.each(['/network', '/provision'])('by POST %s', async (path) => {
    const node = await inSetup({ radio: new TestRadio(inRange) });
    for (const [ssid, password, said] of cases) {
      const before = wifiOf(node);
      const { status, body } = await node.send('POST', path, { ssid, password });
      expect([ssid, password, status]).toEqual([ssid, password, said === undefined ? 200 : 422]);
      if (said === undefined) continue;
      expect(body).toMatchObject({ error: 'invalid_provision', detail: expect.stringMatching(said) });
      expect(wifiOf(node)).toEqual(before);
      if (password !== '') expect(body['detail']).not.toContain(password);
    }
  });

  it.each([
    ['\u0007bell', /no control characters/],
    // It would be joined, and never be found in what the radio lists.
    ['a\u0085b', /no control characters/],
    ['\udcc2\udc85', /no control characters/],
    ['half \ud83e', /no halves of characters/],
    ['é'.repeat(17), /1 to 32 bytes; this one has 34/],
    ['\udce9'.repeat(33), /1 to 32 bytes; this one has 33/],
  ])('what is wrong with a name by itself: %j', async (ssid, said) => {
    const node = await startNetworkNode({ radio: new TestRadio() });
    const { status, body } = await node.send('POST', '/network', { ssid, password: '' });
    expect([status, body['error']]).toEqual([422, 'invalid_provision']);
    expect(body['detail']).toMatch(said);
  });

  it('nothing against 32 bytes that are not UTF-8, nor against the same bytes as the same name', async () => {
    const node = await startNetworkNode({ radio: new TestRadio() });
    const longest = '\udce9'.repeat(32);
    expect((await node.send('POST', '/network', { ssid: longest, password: '' })).body['ssid']).toBe(longest);
    expect((await node.send('POST', '/network', { ssid: '\udcc3\udca9', password: '' })).body['ssid']).toBe('é');
    expect(wifiOf(node)?.ssid).toBe('é');
  });

  it.each([
    ['pässwort1', /^character 2 of the password cannot be in one/],
    ['short', /^a Wi-Fi password has at least 8 characters; this one has 5/],
    ['g'.repeat(64), /^.* at most 63 characters, or is a key of 64 digits/],
  ])('what is wrong with a password by itself: %s', async (password, said) => {
    const node = await startNetworkNode({ radio: new TestRadio() });
    const { body } = await node.send('POST', '/network', { ssid: 'Shop', password });
    expect(body).toMatchObject({ error: 'invalid_provision', detail: expect.stringMatching(said) });
  });
});
