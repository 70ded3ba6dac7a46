/** What the portal's page does when somebody uses it: its script, run on the few parts of a document that it touches. */
import { createContext, Script } from 'node:vm';
import { beforeAll, describe, expect, it } from 'vitest';
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

let script: Script;
beforeAll(() => {
  const page = portalPage({ node: 'tillnode-0a1b2c3d', hostUrl: HOST_URL, networks: [], trouble: undefined });
  script = new Script(/<script>([\s\S]*)<\/script>/.exec(String(page.body))?.[1] ?? 'no script');
});

/** The page, with a node behind it that gives this answer. */
function open(answer: () => Promise<object>) {
  const [ssid, password, show, send, list, output] = Array.from({ length: 6 }, () => new Part()) as [
    Part,
    Part,
    Part,
    Part,
    Part,
    Part,
  ];
  const form = Object.assign(new Part(), { dataset: { host: HOST_URL }, elements: { ssid, password, show, send } });
  const posts: unknown[] = [];
  const context = {
    document: { forms: [form], querySelector: (name: string) => (name === 'ul' ? list : output) },
    fetch: async (path: string, { method, body }: { method: string; body: string }) => {
      posts.push([method, path, JSON.parse(body)]);
      const json = await answer();
      return { json: async () => json };
    },
  };
  script.runInContext(createContext(context));
  return { ssid, password, show, send, list, output, form, posts };
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
    expect(page.posts).toEqual([['POST', '/provision', { ssid: ' Shop ', password: ' "secret" ' }]]);
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
});
