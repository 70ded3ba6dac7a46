/** A room from outside, built into an image by its name in the row, and driven over HTTP. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { build } from 'tsup';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientWith, imageOf, variants } from '../../build.config.ts';
import { makeDocument } from '../../runtime/assembly/page/document-module.ts';
import { roomsOf } from '../../runtime/assembly/rooms/rooms.ts';
import type { Variant } from '../../runtime/assembly/variant/variant.ts';

const FOLDER = './test/third-party/pole-display';
const OUT = 'dist/pole';
const twin = variants['twin'] as Variant;
const scratch = mkdtempSync(join(tmpdir(), 'tillnode-pole-'));
const buildWith = (plugins: readonly string[]) =>
  build({ ...imageOf('pole', { ...twin, plugins: [...twin.plugins, ...plugins] }), config: false });
const describeImage = () =>
  JSON.parse(execFileSync(process.execPath, [`${OUT}/main.js`, '--describe'], { encoding: 'utf8' }));
const image = () => readFileSync(`${OUT}/node.cjs`, 'utf8');

afterAll(() => {
  rmSync(OUT, { recursive: true, force: true });
  rmSync(scratch, { recursive: true, force: true });
});

describe('an image whose row names a package', () => {
  let url: string;
  let end: () => Promise<unknown>;
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${url}${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
    return { status: response.status, body: (await response.json()) as Record<string, object[]> };
  };

  beforeAll(async () => {
    await buildWith([FOLDER]);
    const ports = ['--host', '127.0.0.1', '--port', '0', '--raw-port', '0', '--state', scratch];
    const child = spawn(process.execPath, [`${OUT}/main.js`, ...ports], { stdio: ['ignore', 'pipe', 'ignore'] });
    end = () => {
      child.kill('SIGTERM');
      return once(child, 'exit');
    };
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    url = line.replace('ready ', '');
  });
  afterAll(() => end());

  it('has its route, endpoint, codec, error row, config key, event and recipe rows', () => {
    const described = describeImage();
    expect(described.plugins).toContain('pole-display');
    expect(described.routes).toContainEqual(
      expect.objectContaining({ method: 'PUT', path: '/display', tier: 'strict' }),
    );
    expect(described.endpoints).toContainEqual(expect.objectContaining({ id: 'display', kind: 'display' }));
    expect(described.codecs).toContainEqual(expect.objectContaining({ name: 'pole-display' }));
    expect(described.errors).toContainEqual(expect.objectContaining({ code: 'no_display', status: 409 }));
    expect(described.config).toContain('display');
    expect(described.events).toContain('display_shown');
    const { recipes } = JSON.parse(readFileSync('dist/twin/image.json', 'utf8'));
    expect(described.recipes).toBe(recipes + 2);
  });

  it('shows on its virtual display what PUT /display was sent, and answers as every image does', async () => {
    const lines = ['Café crème', 'Total         2,70 €'];
    expect(await call('PUT', '/display', { lines })).toMatchObject({
      status: 200,
      body: { condition: 'bound', lines },
    });
    const { devices } = (await call('GET', '/twin/devices')).body;
    expect(devices).toContainEqual(
      expect.objectContaining({
        name: 'pole-display',
        attached: true,
        state: expect.objectContaining({ lines: ['Café crème          ', lines[1]] }),
      }),
    );
    const test = { device: 'pole-display', action: 'self-test' };
    expect((await call('POST', '/twin/action', test)).body['state']).toMatchObject({
      lines: ['8'.repeat(20), '8'.repeat(20)],
    });
    expect(await call('POST', '/twin/action', { ...test, argument: '88' })).toMatchObject({
      status: 422,
      body: { ok: false, error: 'invalid_command', detail: 'argument: one character is shown in all cells' },
    });
    expect(await call('PUT', '/display', { colour: 'red' })).toMatchObject({
      status: 422,
      body: { ok: false, error: 'invalid_command' },
    });
    await call('POST', '/twin/attach', { vendorId: '1209', productId: '0001', attached: false });
    expect(await call('PUT', '/display', { lines })).toMatchObject({ status: 409, body: { error: 'no_display' } });
    const { peripherals } = (await call('GET', '/status')).body;
    expect(peripherals).toContainEqual(expect.objectContaining({ endpoint: 'display', condition: 'gone' }));
  });

  it('sends its event to a webhook that selects it, and names it among those there are to select', async () => {
    const receiver = createServer();
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    const selected = { url: `http://127.0.0.1:${port}/`, events: ['display_shown'] };
    await call('POST', '/twin/attach', { vendorId: '1209', productId: '0001', attached: true });
    expect(await call('PUT', '/config', { webhook: selected })).toMatchObject({ status: 200 });
    const [shown] = await Promise.all([
      once(receiver, 'request') as Promise<[IncomingMessage, ServerResponse]>,
      call('PUT', '/display', { lines: ['Merci'] }),
    ]);
    const [request, response] = shown;
    const { event } = JSON.parse((await buffer(request)).toString());
    response.end();
    expect(event).toEqual({ type: 'display_shown', endpoint: 'display', lines: ['Merci'] });
    receiver.close();

    const document = JSON.parse(readFileSync(`${OUT}/openapi.json`, 'utf8'));
    expect(document.components.schemas.WebhookEvent.enum).toContain('display_shown');
    expect(await call('PUT', '/config', { webhook: { events: ['display_burned'] } })).toMatchObject({
      status: 422,
      body: { error: 'invalid_config' },
    });
  });

  it('has one copy of what the room imports by name, and neither schemas nor tests of it', () => {
    expect(image().match(/this\.name="ApiError"/g)).toHaveLength(1);
    expect(image()).not.toContain('TypeBox');
    expect(image()).not.toContain('new Ajv');
    expect(image()).not.toContain('roomConformance');
  });
});

describe('a client that is built with it', () => {
  const directory = join(scratch, 'consumer');
  const client = join(directory, 'node_modules/tillnode/dist/client');
  const program = `
    import { NodeClient, NodeError } from 'tillnode/client';
    const till = new NodeClient({ url: 'http://127.0.0.1:9' });
    const shown: string[] = (await till.showLines(['Merci'])).lines;
    const { brightness } = (await till.config()).display;
    for await (const event of till.events()) if (event.type === 'display_shown') console.log(event.lines.length, shown, brightness + 1);
    // @ts-expect-error lines are strings
    await till.showLines([7]);
    console.log(new NodeError('no_display', 409).retry);
  `;

  beforeAll(async () => {
    const rooms = roomsOf({ ...twin, plugins: [...twin.plugins, FOLDER] }, resolve('.'));
    const options = clientWith(
      rooms.map((room) => room.directory),
      client,
    );
    await build({ ...options, config: false });
    copyFileSync('package.json', join(client, '../../package.json'));
    writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
    writeFileSync(join(directory, 'program.ts'), program);
    mkdirSync(join(directory, 'node_modules/@types'));
    for (const name of ['@types/node', 'undici-types'])
      symlinkSync(resolve('node_modules', name), join(directory, 'node_modules', name));
  }, 120_000);

  it('has its calls, and knows its event, its configuration and its answers by their types', () => {
    const tsc = resolve('node_modules/typescript/bin/tsc');
    const options =
      '--noEmit --strict --skipDefaultLibCheck --target es2022 --module nodenext --types node program.ts'.split(' ');
    expect(execFileSync(process.execPath, [tsc, ...options], { cwd: directory, encoding: 'utf8' })).toBe('');
  }, 120_000);

  it('knows what its refusals mean, and has its shapes among those of the contract', async () => {
    const { NodeError } = await import(join(client, 'client.js'));
    expect(new NodeError('display_failed', 409)).toMatchObject({ retry: 'yes', meaning: expect.any(String) });
    const { poleDisplay } = await import(join(client, 'contract.js'));
    expect(poleDisplay.ShowLines.properties.lines.maxItems).toBe(2);
  });
});

describe('an image whose row does not name it any more', () => {
  it('has no trace of it', async () => {
    await buildWith([]);
    expect(image()).not.toMatch(/pole.display|no_display/);
    expect(describeImage().recipes).toBe(JSON.parse(readFileSync('dist/twin/image.json', 'utf8')).recipes);
  });
});

describe('a panel', () => {
  it('of a room that stands outside, with nothing installed beside it, is part of the page', async () => {
    const room = join(scratch, 'kettle');
    mkdirSync(room);
    const panel = `
      import { useState } from 'preact/hooks';
      import { Card, definePanel } from 'tillnode/panel';
      const View = () => <Card title="Boils for">{useState(7)[0]}</Card>;
      export default definePanel({ id: 'kettle', title: 'Kettle', order: 45, View });`;
    writeFileSync(join(room, 'panel.tsx'), panel);
    const { html } = await makeDocument('page', [room], { name: 'no contracts', setup() {} });
    expect(html).toContain('Boils for');
  });

  it('whose words are in a folder that no document brings along does not compile, in place of English in every language', async () => {
    const room = join(scratch, 'tea');
    mkdirSync(join(room, 'elsewhere'), { recursive: true });
    writeFileSync(join(room, 'elsewhere/en.json'), '{"title":"Tea"}');
    const panel = `
      import { definePanel } from 'tillnode/panel';
      import words from './elsewhere/en.json';
      export default definePanel({ id: 'tea', title: words.title, order: 45, View: () => null });`;
    writeFileSync(join(room, 'panel.tsx'), panel);
    const made = makeDocument('page', [room], { name: 'no contracts', setup() {} });
    await expect(made).rejects.toThrow(/elsewhere.en\.json: the words of this folder do not come with the document/);
  });
});

describe('a room', () => {
  const rooms = (name: string, root = '.') => roomsOf({ plugins: [name], services: [] }, resolve(root));

  it('is a folder of plugins, a path, or a package that is installed', () => {
    const root = join(scratch, 'root');
    mkdirSync(join(root, 'node_modules/@me'), { recursive: true });
    writeFileSync(join(root, 'package.json'), '{}');
    symlinkSync(resolve(FOLDER), join(root, 'node_modules/@me/display'));
    expect(rooms('scale')[0]?.directory).toBe(resolve('plugins/scale'));
    expect(rooms(FOLDER)[0]?.directory).toBe(resolve(FOLDER));
    expect(rooms('@me/display', root)[0]?.directory).toBe(resolve(FOLDER));
  });

  it.each(['toaster', './toaster'])('that is none of these is refused by name: %s', (name) => {
    expect(() => rooms(name)).toThrow(new RegExp(`^${name.replaceAll('.', '\\.')}: `));
  });
});
