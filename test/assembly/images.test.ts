/** The built images, driven as processes, on this Node and on the Node that ships. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { shippedNode } from '../shipped-node.ts';

const VARIANTS = ['wifi', 'station-hub', 'camera', 'twin'];
const scratch = mkdtempSync(join(tmpdir(), 'tillnode-image-'));
const running: Array<() => void> = [];
afterEach(() => {
  for (const kill of running.splice(0)) kill();
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Started {
  readonly pid: number;
  readonly stdout: readonly string[];
  readonly stderr: () => string;
  readonly exited: Promise<number | null>;
  readonly ready: Promise<void>;
  /** Waits until so many lines of stdout are there. */
  printed(count: number): Promise<void>;
  kill(signal: NodeJS.Signals): void;
}

let states = 0;
function run(variant: string, args: readonly string[], node = process.execPath): Started {
  states += 1;
  const state = ['--state', join(scratch, String(states))];
  const child = spawn(node, ['--trace-warnings', `dist/${variant}/main.js`, ...state, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(() => child.kill('SIGKILL'));
  const stdout: string[] = [];
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const lines = createInterface({ input: child.stdout });
  const ready = new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => stdout.push(line) === 2 && resolve());
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${stderr}`)));
  });
  ready.catch(() => {});
  const printed = async (count: number) => {
    while (stdout.length < count) await once(lines, 'line');
  };
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  return {
    pid: child.pid ?? 0,
    stdout,
    stderr: () => stderr,
    exited,
    ready,
    printed,
    kill: (signal) => child.kill(signal),
  };
}

const PORTS = ['--host', '127.0.0.1', '--port', '0', '--raw-port', '0', '--ipp-port', '0'];
const urlOf = (node: Started) => node.stdout[0]?.replace('ready ', '') ?? '';

/** What its status says that it draws, it draws. */
async function drawsScripts(url: string): Promise<void> {
  const { text } = (await (await fetch(`${url}/status`)).json()) as { text: { scripts: string[] } };
  expect(text.scripts).toEqual(expect.arrayContaining(['Arab', 'Deva', 'Hani', 'Hebr', 'Thai']));
  const lines = [{ type: 'text', value: 'شكرا धन्यवाद 谢谢 תודה ขอบคุณ' }];
  const preview = await fetch(`${url}/preview`, { method: 'POST', body: JSON.stringify({ lines }) });
  expect(await preview.text()).toContain(' data-substituted="0"');
}

describe.each(VARIANTS)('the %s image', (variant) => {
  it('says exactly where it listens, serves, and ends with code 0 on SIGTERM', async () => {
    const node = run(variant, PORTS);
    await node.ready;
    expect(node.stdout[0]).toMatch(/^ready http:\/\/127\.0\.0\.1:\d+$/);
    expect(node.stdout[1]).toMatch(/^raw 127\.0\.0\.1:\d+$/);
    const status = (await (await fetch(`${urlOf(node)}/status`)).json()) as {
      identity: { variant: string };
      online: boolean;
    };
    expect(status.identity.variant).toBe(variant);
    expect(status.online).toBe(true);
    await drawsScripts(urlOf(node));
    node.kill('SIGTERM');
    expect(await node.exited).toBe(0);
    // IPP is on in the twin alone.
    expect(node.stdout.slice(2)).toEqual(variant === 'twin' ? [expect.stringMatching(/^ipp 127\.0\.0\.1:\d+$/)] : []);
    expect(node.stderr()).not.toContain('Warning');
  });

  it('starts on the Node that ships, without a warning', async () => {
    const node = run(variant, PORTS, shippedNode());
    await node.ready;
    expect((await fetch(`${urlOf(node)}/peripherals`)).status).toBe(200);
    await drawsScripts(urlOf(node));
    node.kill('SIGTERM');
    expect(await node.exited).toBe(0);
    expect(node.stderr()).not.toContain('Warning');
  }, 120_000);

  it('describes itself without starting, as image.json and openapi.json do', () => {
    const described = JSON.parse(
      execFileSync(process.execPath, [`dist/${variant}/main.js`, '--describe'], { encoding: 'utf8' }),
    );
    expect(described).toEqual(JSON.parse(readFileSync(`dist/${variant}/image.json`, 'utf8')));
    expect(described.variant).toBe(variant);
    expect(described.scripts).toEqual(expect.arrayContaining(['Arab', 'Thai']));
    const { info, paths } = JSON.parse(readFileSync(`dist/${variant}/openapi.json`, 'utf8'));
    expect(info.version).toBe(described.version);
    const documented = Object.entries<object>(paths).flatMap(([path, verbs]) =>
      Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${path}`),
    );
    const routes = described.routes as { method: string; path: string }[];
    expect(documented.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
    expect(described.routes).toContainEqual(
      expect.objectContaining({ method: 'POST', path: '/print', tier: 'strict' }),
    );
    expect(described.endpoints).toContainEqual(expect.objectContaining({ id: 'receipt', kind: 'printer' }));
  });
});

const LICENSES = /^(MIT|MIT-Modern-Variant|ISC|BSD-\d-Clause|Apache-2\.0|MIT AND OFL-1\.1)$/;

describe('an image', () => {
  it('brings the license of every package in it, each one that lets it be passed on', () => {
    const notices = readFileSync('dist/twin/licenses.txt', 'utf8').split(/^(?=== )/m);
    const packages = notices.map((notice) => /^== (\S+)(?: \S+)?: (.+)\n\n\S/.exec(notice)?.slice(1) ?? notice);
    expect(packages).toEqual(packages.map(([name]) => [name, expect.stringMatching(LICENSES)]));
    expect(packages.map(([name]) => name)).toEqual(
      expect.arrayContaining(['koa', 'preact', 'tapable', 'mdns-js', 'ajv', 'harfbuzzjs', 'HarfBuzz']),
    );
    const fonts = notices.filter((notice) => notice.startsWith('== @expo-google-fonts/'));
    expect(fonts.length).toBeGreaterThan(20);
    for (const notice of fonts) expect(notice).toMatch(/Copyright.+SIL OPEN FONT LICENSE Version 1\.1/is);
  });

  it('holds no room that its row does not list, and nothing that the build has already done', () => {
    const wifi = readFileSync('dist/wifi/node.cjs', 'utf8');
    const twin = readFileSync('dist/twin/node.cjs', 'utf8');
    expect(twin).toContain('/twin/paper');
    expect(wifi).not.toContain('/twin/paper');
    expect(readFileSync('dist/camera/node.cjs', 'utf8')).toContain('/camera/frame');
    expect(twin).toContain('/camera/frame');
    for (const variant of ['wifi', 'station-hub'])
      expect(readFileSync(`dist/${variant}/node.cjs`, 'utf8')).not.toContain('/camera/frame');
    expect(wifi).not.toContain('TypeBox');
    // Fonts and shaping cost nothing until a text needs them.
    expect(wifi).not.toContain('fonts.pack');
    expect(readFileSync('dist/wifi/draw.js', 'utf8')).toContain('fonts.pack');
    expect(wifi).not.toContain('new Ajv');
  });

  it('started without its launcher restarts in place, says so in its boot log, and takes no image', async () => {
    const node = run('twin', PORTS);
    await node.ready;
    const call = async (method: string, path: string, body?: object, headers = {}) => {
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      const url = node.stdout.findLast((line) => line.startsWith('ready '))?.replace('ready ', '');
      return (await (await fetch(`${url}${path}`, init)).json()) as Record<string, unknown>;
    };
    expect(await call('GET', '/bootlog')).toMatchObject({ boots: [{ reason: 'power_on' }] });
    await call('POST', '/restart', { type: 'restart', id: '1' });
    await node.printed(4);
    expect(await call('GET', '/bootlog')).toMatchObject({
      boots: [{ reason: 'restart' }, { reason: 'power_on', clean: true }],
    });
    const updateKey = 'update-key-0123456789';
    await call('PUT', '/update', { updateKey });
    expect(await call('POST', '/update', {}, { Authorization: `Bearer ${updateKey}` })).toMatchObject({
      error: 'no_launcher',
    });
  });

  it('runs whether or not the machine has a USB bus it may use, and says which', async () => {
    const node = run('wifi', PORTS);
    await node.ready;
    const status = (await (await fetch(`${urlOf(node)}/status`)).json()) as { usb: { state: string } };
    const possible = existsSync('/sys/bus/usb/devices') ? ['ok', 'no_access', 'no_bus'] : ['no_bus'];
    expect(possible).toContain(status.usb.state);
  });

  it.each([
    ['an unknown option', ['--colour']],
    ['a port that is none', ['--port', '70000']],
  ])('refuses %s with its usage and code 2', async (_, args) => {
    const node = run('wifi', args);
    expect(await node.exited).toBe(2);
    expect(node.stderr()).toContain('usage:');
  });

  it('ends with code 1 when its port is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const node = run('wifi', ['--host', '127.0.0.1', '--port', String(port), '--raw-port', '0']);
    expect(await node.exited).toBe(1);
    expect(node.stderr()).toContain('EADDRINUSE');
    server.close();
  });

  it('finishes the job in hand before it ends', async () => {
    const node = run('twin', PORTS);
    await node.ready;
    const json = (path: string, method: string, body: object) =>
      fetch(`${urlOf(node)}${path}`, { method, body: JSON.stringify(body) });
    await json('/twin/printer', 'PUT', { slow: 4000 });
    const lines = Array.from({ length: 60 }, (_, line) => ({
      type: 'text',
      value: `line ${line} of a receipt that takes a while`,
    }));
    const printed = json('/print', 'POST', { type: 'print', id: 'last', endpoint: 'receipt', lines });
    while (!(await (await fetch(`${urlOf(node)}/twin/paper.txt`)).text()).includes('line 0'))
      await new Promise(setImmediate);
    node.kill('SIGTERM');
    expect((await printed).status).toBe(200);
    expect(await node.exited).toBe(0);
  });
});
