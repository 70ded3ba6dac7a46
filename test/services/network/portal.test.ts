/** The setup portal: what phones are answered on the network the node opens, and who may provision it (specification 3.5). */
import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../runtime/base/language.ts';
import { WifiBody } from '../../../runtime/services/network/contract.ts';
import { radioInShop, SHOP, shop, TestRadio } from '../../bindings/test-radio.ts';
import { visit } from '../../http/visit.ts';
import { until } from '../../node.ts';
import { storageWith } from '../../storage.ts';
import { type NetworkNode, startNetworkNode } from './node.ts';
import { PROBES } from './phones.ts';

const inSetup = async (options: Parameters<typeof startNetworkNode>[0] = {}) => {
  const node = await startNetworkNode({ timings: { answerMs: 60_000 }, ...options });
  await until(() => node.radio.is('setup'));
  await until(async () => (await visit(node, '/nothing-here')).status === 302);
  return node;
};

const home = ({ url }: NetworkNode) => `${url}/`;
const hostOf = ({ url }: NetworkNode) => new URL(url).host;

describe('the fields of the page', () => {
  it('cut nothing off that was pasted: the response says what is too long', async () => {
    const { text } = await visit(await inSetup(), '/');
    const { ssid, password } = WifiBody.properties;
    expect([...text.matchAll(/name="(\w+)"[^>]* maxlength="(\d+)"/g)].map(([, name, most]) => [name, most])).toEqual([
      ['ssid', String(ssid.maxLength)],
      ['password', String(password.maxLength)],
    ]);
  });
});

describe('a phone that looks for the internet', () => {
  it('is shown the way to the page, whatever name and path it asks for', async () => {
    const node = await inSetup();
    for (const { who, host, path, headers: own = {} } of PROBES) {
      const { status, headers, text } = await visit(node, path, { ...own, host });
      expect([who, status, headers['location'], text]).toEqual([who, 302, home(node), '']);
      expect(headers['cache-control']).toBe('no-store');
      expect((await visit(node, path, { ...own, host }, { method: 'HEAD' })).status).toBe(302);
    }
  });

  it('is shown the way by other forms of a request, too', async () => {
    const node = await inSetup();
    const { hostname, port } = new URL(node.url);
    const says = async (request: string): Promise<string> => {
      const socket = connect(Number(port), hostname);
      socket.end(request);
      let said = '';
      for await (const chunk of socket) said += String(chunk);
      return said;
    };
    const forms = [
      // iOS 5 asks as HTTP/1.0 (sudoroom.org/wiki/Mesh/Firmware/Splash_page).
      'GET /library/test/success.html HTTP/1.0\r\nHost: www.apple.com\r\nConnection: close\r\n\r\n',
      // Before HTTP/1.1 a request may have no Host (RFC 1945, 5.1).
      'GET /hotspot-detect.html HTTP/1.0\r\n\r\n',
      // Who was told of a proxy sends the absolute form (RFC 9112, 3.2.2).
      'GET http://captive.apple.com/hotspot-detect.html HTTP/1.1\r\nHost: captive.apple.com\r\nConnection: close\r\n\r\n',
      'GET /generate_204 HTTP/1.1\r\nHost: CONNECTIVITYCHECK.GSTATIC.COM.:80\r\nConnection: close\r\n\r\n',
    ];
    for (const form of forms) {
      const said = await says(form);
      expect([form, said.slice(0, 12), said.includes(`Location: ${home(node)}\r\n`)]).toEqual([
        form,
        'HTTP/1.1 302',
        true,
      ]);
    }
  });

  it('is refused as everywhere when it sends something to a foreign name', async () => {
    const node = await inSetup();
    const host = 'evil.example';
    const headers = { host, origin: `http://${host}` };
    const { status, text } = await visit(node, '/provision', headers, { method: 'POST', body: JSON.stringify(SHOP) });
    expect([status, JSON.parse(text)['error']]).toEqual([421, 'host_refused']);
    expect(node.kernel.settings.read('wifi')).toBeUndefined();
  });

  it('finds the API beside the portal, by address and by local name', async () => {
    const node = await inSetup();
    for (const host of [hostOf(node), 'node-0a1b2c3d.local']) {
      const { status, text } = await visit(node, '/network', { host });
      expect([status, JSON.parse(text)['mode']]).toEqual([200, 'setup']);
    }
    expect((await visit(node, '/network', { host: 'evil.example' })).status).toBe(302);
  });

  it('gets the page at the address alone', async () => {
    const node = await inSetup();
    expect((await visit(node, '/', { host: 'node-0a1b2c3d.local' })).headers['location']).toBe(home(node));
    expect((await visit(node, '/index.html', { host: hostOf(node) })).headers['location']).toBe(home(node));
    expect((await visit(node, '/?x=1', { host: hostOf(node) })).status).toBe(200);
  });
});

describe('the page', () => {
  it.each(Object.keys(LANGUAGES))('is one document under 12 KB with a strict policy, in %s', async (language) => {
    const name = (index: number) => `${'"&\'<>'.repeat(6)}${String(index).padStart(2, '0')}`;
    const radio = new TestRadio(Array.from({ length: 60 }, (_, index) => ({ ...shop(), ssid: name(index) })));
    const node = await inSetup({ radio });
    const { status, headers, text } = await visit(node, '/', {
      'accept-language': `xx, ${language}-CH;q=0.9, en;q=0.1`,
    });
    expect(text).toContain(`<html lang="${language}"`);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(Buffer.byteLength(text)).toBeLessThan(12_288);
    // Nothing is loaded from elsewhere; where the node is and goes is told.
    expect(text.replace(/http:\/\/(127\.0\.0\.1|node-[0-9a-f]{8}\.local)/g, '')).not.toMatch(
      /https?:|src=|@import|url\(/,
    );
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    for (const [tag, directive] of [
      ['style', 'style-src'],
      ['script', 'script-src'],
    ]) {
      const source = new RegExp(`<${tag}>([^]*)</${tag}>`).exec(text)?.[1] ?? '';
      expect(policy).toContain(`${directive} 'sha256-${createHash('sha256').update(source).digest('base64')}'`);
    }
    expect(text).not.toMatch(/\son\w+=|style="/);
    expect([headers['x-frame-options'], headers['x-content-type-options']]).toEqual(['DENY', 'nosniff']);
  });

  it('lists the networks in reach once a name, strongest first, as text', async () => {
    const radio = new TestRadio([
      { ...shop(), ssid: 'Café 🥐', signalDbm: -75 },
      { ...shop(), signalDbm: -70 },
      { ...shop(''), ssid: '"><img src=x onerror=alert(1)>', signalDbm: -60 },
      { ...shop(), band: '5', signalDbm: -50 },
    ]);
    const { text } = await visit(await inSetup({ radio }), '/');
    const names = [...text.matchAll(/data-ssid="([^"]*)"/g)].map(([, name]) => name);
    expect(names).toEqual(['Shop', '&quot;&gt;&lt;img src=x onerror=alert(1)&gt;', 'Café 🥐']);
    expect(text).not.toContain('<img');
  });

  it('is in the language that was chosen on it, before what the phone asks for', async () => {
    const node = await inSetup();
    const inGerman = await visit(node, '/?language=de', { 'accept-language': 'fr' });
    expect(inGerman.text).toContain('<html lang="de"');
    expect((await visit(node, '/?language=xx', { 'accept-language': 'fr-CA' })).text).toContain('<html lang="fr"');
    expect((await visit(node, '/?language=toString', {})).text).toContain('<html lang="en"');
    const { text } = await visit(
      node,
      '/provision',
      { 'accept-language': 'pl' },
      {
        method: 'POST',
        body: JSON.stringify({ ssid: 'Shop', password: 'short' }),
      },
    );
    expect(JSON.parse(text)).toMatchObject({
      error: 'invalid_provision',
      detail: expect.stringContaining('hasło Wi-Fi'),
    });
  });

  it('lists a name that is not UTF-8 as people know it, and joins it by its bytes', async () => {
    const radio = new TestRadio([{ ...shop(), ssid: 'Caf\udce9' }]);
    const node = await inSetup({ radio, timings: { answerMs: 1 } });
    const { text } = await visit(node, '/');
    expect(text).toContain('data-ssid="Café" data-name="&quot;Caf\\udce9&quot;"');
    // What was typed means the only network that is shown so.
    const { body } = await node.send('POST', '/provision', { ssid: 'Café', password: SHOP.password });
    expect(body).toMatchObject({ ok: true, ssid: 'Caf\udce9' });
    await until(() => radio.is('station'));
    expect((await node.get('/network')).body['ssid']).toBe('Caf\udce9');
  });

  it('shows a fixed address, and offers DHCP instead', async () => {
    const radio = new TestRadio();
    radio.lease = undefined;
    const ipv4 = { address: '192.168.1.50', netmask: '255.255.255.0' };
    const node = await inSetup({ radio, storage: await storageWith({ ipv4 }) });
    const { text } = await visit(node, '/');
    expect(text).toContain('192.168.1.50');
    expect(text).toContain('name="dhcp"');
    const origin = new URL(node.url).origin;
    const put = await visit(node, '/network/ipv4', { origin }, { method: 'PUT', body: '{}' });
    expect([put.status, node.kernel.settings.read('ipv4')]).toEqual([200, undefined]);
    expect((await visit(node, '/')).text).not.toContain('name="dhcp"');
  });

  it('says why the last network did not do', async () => {
    const radio = radioInShop();
    const wifi = { ssid: SHOP.ssid, password: 'wrong password', band: 'auto', proven: false };
    const node = await inSetup({ radio, storage: await storageWith({ wifi }) });
    const { text } = await visit(node, '/');
    expect(text).toContain('“Shop” did not work: the password is wrong.');
    expect(text).toContain('value="Shop"');
    expect(text).not.toContain(wifi.password);
  });
});

describe('POST /provision', () => {
  const post = (node: NetworkNode, headers: Record<string, string>) =>
    visit(node, '/provision', headers, { method: 'POST', body: JSON.stringify(SHOP) });

  it('is for programs without an Origin and for the portal’s own page, and for no other page', async () => {
    const node = await inSetup();
    const host = hostOf(node);
    const foreign: readonly Record<string, string>[] = [
      { host, origin: 'http://evil.example' },
      { host, origin: 'null' },
      { host, origin: `https://${host}` },
      { host, 'sec-fetch-site': 'cross-site' },
      { host: 'intranet', origin: 'http://intranet' },
      { host: 'node-0a1b2c3d.local', origin: 'http://node-0a1b2c3d.local' },
    ];
    for (const headers of foreign) {
      const { status, text } = await post(node, headers);
      expect([headers, status, JSON.parse(text)['error']]).toEqual([headers, 403, 'origin_refused']);
    }
    expect(node.kernel.settings.read('wifi')).toBeUndefined();
    for (const headers of [{ host }, { host, origin: `http://${host}` }]) {
      expect((await post(node, headers)).status).toBe(200);
    }
  });

  it('is answered on the setup network only: elsewhere it is 404 not_found', async () => {
    // The front listens on every address of the machine; the setup network has one of them.
    const radio = new TestRadio([], '127.0.0.2');
    const node = await startNetworkNode({ radio, host: '0.0.0.0', timings: { answerMs: 60_000 } });
    const there = { address: '127.0.0.2' };
    await until(async () => (await visit(node, '/', {}, there)).status === 200);
    const body = JSON.stringify(SHOP);
    const lan = await visit(node, '/provision', {}, { method: 'POST', body });
    expect([lan.status, JSON.parse(lan.text)['error']]).toEqual([404, 'not_found']);
    expect((await visit(node, '/provision', {}, { method: 'POST', body, ...there })).status).toBe(200);
    expect((await visit(node, '/generate_204', { host: 'captive.apple.com' })).status).toBe(421);
  });

  it('ends with setup: the portal goes with its network', async () => {
    const radio = radioInShop();
    const node = await inSetup({ radio, timings: {} });
    expect((await node.send('POST', '/provision', SHOP)).status).toBe(200);
    await until(() => radio.is('station'));
    expect((await node.send('POST', '/provision', SHOP)).body['error']).toBe('not_found');
    expect((await visit(node, '/generate_204', { host: 'captive.apple.com' })).status).toBe(421);
    expect((await visit(node, '/')).status).toBe(404);
  });

  it('is answered at a front that listens on IPv6 too', async () => {
    const radio = new TestRadio();
    const node = await startNetworkNode({ radio, host: '::', timings: { answerMs: 60_000 } });
    await until(async () => (await visit(node, '/')).status === 200);
    expect((await visit(node, '/provision', {}, { method: 'POST', body: JSON.stringify(SHOP) })).status).toBe(200);
  });
});

describe('a phone that sends credentials while the node looks for networks', () => {
  /** The first look fails, so that the page asks for another, which lasts until `seen` is called. */
  class LookingRadio extends TestRadio {
    looks = 0;
    seen: () => void = () => {};

    override async scan() {
      this.looks += 1;
      if (this.looks === 1) throw new Error('busy');
      await new Promise<void>((resolve) => {
        this.seen = resolve;
      });
      return super.scan();
    }
  }

  it('is answered when that is over, as nothing is heard on the channel meanwhile, and the join begins after that', async () => {
    const radio = new LookingRadio([shop()]);
    const node = await inSetup({ radio, timings: { answerMs: 1 } });
    expect((await visit(node, '/', { host: hostOf(node) })).status).toBe(200);
    await until(() => radio.looks === 2);
    let answered = false;
    const answer = node.send('POST', '/provision', SHOP).finally(() => {
      answered = true;
    });
    // A request that came later is answered, and what was sent is not stored yet.
    for (let asked = 0; asked < 3; asked += 1) await node.get('/network');
    expect([answered, node.kernel.settings.read('wifi'), radio.count('join Shop')]).toEqual([false, undefined, 0]);
    radio.seen();
    expect((await answer).status).toBe(200);
    await until(() => radio.is('station'));
  });
});
