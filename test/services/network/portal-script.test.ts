/** What the portal's page does when somebody uses it: its script, run on the few parts of a document that it touches. */
import { createContext, Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from '../../../runtime/base/language.ts';
import { portalPage } from '../../../runtime/services/network/portal-page.ts';

const HOST_URL = 'http://node-0a1b2c3d.local/';

type Listener = (event: object) => unknown;

class Part {
  value = '';
  type = 'password';
  textContent = '';
  className = '';
  disabled = false;
  checked = false;
  focused = false;
  readonly dataset: Record<string, string> = {};
  readonly listeners = new Map<string, Listener>();
  addEventListener(type: string, listener: Listener): void {
    this.listeners.set(type, listener);
  }
  focus(): void {
    this.focused = true;
  }
  fire(type: string, event: object = {}): unknown {
    return this.listeners.get(type)?.({ preventDefault() {}, target: this, ...event });
  }
}

/** The page's script, and the words that its form has for it. */
function parts(language: Language) {
  const body = String(
    portalPage({
      language,
      node: 'tillnode-0a1b2c3d',
      url: 'http://192.0.2.1/',
      hostUrl: HOST_URL,
      networks: [],
      trouble: undefined,
      fixed: '192.168.1.50',
      fault: undefined,
    }).body,
  );
  const words = /data-words="([^"]*)"/.exec(body)?.[1] ?? '';
  return {
    script: new Script(/<script>([\s\S]*)<\/script>/.exec(body)?.[1] ?? 'no script'),
    words: words.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&'),
  };
}

/** The page, with a node behind it that gives this answer. */
function open(answer: () => Promise<object>, language: Language = 'en') {
  const { script, words } = parts(language);
  const [ssid, password, show, send, dhcp, list, output] = Array.from({ length: 7 }, () => new Part()) as [
    Part,
    Part,
    Part,
    Part,
    Part,
    Part,
    Part,
  ];
  const form = Object.assign(new Part(), { dataset: { words }, elements: { ssid, password, show, send, dhcp } });
  const posts: unknown[] = [];
  const context = {
    document: {
      forms: [form],
      documentElement: { lang: language },
      querySelector: (name: string) => (name === 'ul' ? list : output),
    },
    fetch: async (path: string, { method, body, headers }: { method: string; body: string; headers: object }) => {
      posts.push([method, path, JSON.parse(body), headers]);
      const json = await answer();
      return { json: async () => json };
    },
  };
  script.runInContext(createContext(context));
  return { ssid, password, show, send, dhcp, list, output, form, posts };
}

describe('the portal’s page', () => {
  it('takes the name of the network that was touched', () => {
    const page = open(async () => ({}));
    const button = Object.assign(new Part(), { dataset: { ssid: `Rosa's "Café"` } });
    page.list.fire('click', { target: { closest: () => button } });
    expect([page.ssid.value, page.password.focused]).toEqual([`Rosa's "Café"`, true]);
    page.list.fire('click', { target: { closest: () => null } });
    expect(page.ssid.value).toBe(`Rosa's "Café"`);
  });

  it('shows the password when asked to', () => {
    const { show, password } = open(async () => ({}));
    show.checked = true;
    show.fire('change');
    expect(password.type).toBe('text');
    show.checked = false;
    show.fire('change');
    expect(password.type).toBe('password');
  });

  it('sends what was typed, as it was typed, and says what happens now', async () => {
    const page = open(async () => ({ ok: true, ssid: ' Shop ', band: 'auto' }));
    page.ssid.value = ' Shop ';
    page.password.value = ' "secret" ';
    await page.form.fire('submit');
    const asked = { 'Accept-Language': 'en' };
    expect(page.posts).toEqual([['POST', '/provision', { ssid: ' Shop ', password: ' "secret" ' }, asked]]);
    expect([page.output.className, page.send.disabled]).toEqual(['good', true]);
    expect(page.output.textContent).toContain('“ Shop ”');
    expect(page.output.textContent).toContain(HOST_URL);
  });

  it.each([
    ['invalid_provision', 'of all web pages'],
    ['custody_hold', 'Hold the button on the box'],
    ['save_failed', 'could not store'],
    ['origin_refused', 'of all web pages'],
  ])('says %s in words, and can be used again', async (error, words) => {
    const page = open(async () => ({ ok: false, error, detail: 'of all web pages only one' }));
    await page.form.fire('submit');
    expect(page.output.textContent).toContain(words);
    expect([page.output.className, page.send.disabled]).toEqual(['', false]);
  });

  it('says so when nobody answers', async () => {
    const page = open(() => Promise.reject(new TypeError('failed to fetch')));
    await page.form.fire('submit');
    expect(page.output.textContent).toContain('No answer');
    expect(page.send.disabled).toBe(false);
  });

  it('sends a name that is not UTF-8 as its bytes, once it was touched, and what is typed as it is', async () => {
    const page = open(async () => ({ ok: false, error: 'x' }));
    const touch = (dataset: Record<string, string>) =>
      page.list.fire('click', { target: { closest: () => Object.assign(new Part(), { dataset }) } });
    const sent = async () => {
      await page.form.fire('submit');
      return (page.posts.at(-1) as [string, string, { ssid: string }])[2].ssid;
    };
    touch({ ssid: 'Café', name: '"Caf\\udce9"' });
    expect([page.ssid.value, await sent()]).toEqual(['Café', 'Caf\udce9']);
    page.ssid.value = 'Cafés';
    expect(await sent()).toBe('Cafés');
    touch({ ssid: 'Café' });
    expect(await sent()).toBe('Café');
  });

  it('has the address given by the router, and says when', async () => {
    const page = open(async () => ({ ok: true }));
    await page.dhcp.fire('click');
    expect(page.posts).toEqual([['PUT', '/network/ipv4', {}, { 'Accept-Language': 'en' }]]);
    expect(page.output.textContent).toContain('from the next start');
    const locked = open(async () => ({ ok: false, error: 'api_locked' }));
    await locked.dhcp.fire('click');
    expect(locked.output.textContent).toContain('The node is locked');
  });

  it.each(Object.keys(LANGUAGES) as Language[])('speaks %s', async (language) => {
    const page = open(async () => ({ ok: true }), language);
    page.ssid.value = '$& {host}';
    await page.form.fire('submit');
    expect(page.output.textContent).toContain('$& {host}');
    expect(page.output.textContent).toContain(HOST_URL);
    expect(page.posts).toEqual([['POST', '/provision', expect.anything(), { 'Accept-Language': language }]]);
  });
});
