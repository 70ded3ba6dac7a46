import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  expandMakerFile,
  readRecipeFiles,
  record,
  roomConformance,
  roomsWith,
  startTestNode,
} from 'tillnode/conformance';
import { describe, expect, it, onTestFinished } from 'vitest';
import { appearance, initialise, showLines } from './codec.ts';
import display from './index.ts';
import { priceStory } from './story.ts';
import { VirtualPoleDisplay } from './virtual.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const recipeFiles = readRecipeFiles(here('recipes'));
const room = { plugin: display, endpoint: 'display', device: () => new VirtualPoleDisplay(), recipeFiles };
const rows = recipeFiles.flatMap(({ text }) => expandMakerFile(JSON.parse(text)));

// After what is sent was changed on purpose: RECORD=1 npx vitest run
if (process.env['RECORD'] === '1') writeFileSync(here(priceStory.path), await record(room, priceStory));

describe('the display room conforms:', () => {
  const recordings = [{ story: priceStory, text: readFileSync(here(priceStory.path), 'utf8') }];
  for (const { sentence, check } of roomConformance({ ...room, recordings }))
    it(sentence, async () => expect(await check()).toBeUndefined());
});

describe('the pole-display codec', () => {
  it('begins with ESC @, the code page and no cursor', () => {
    expect([...initialise({})]).toEqual([0x1b, 0x40, 0x1b, 0x74, 16, 0x1f, 0x43, 0]);
    expect([...initialise({ codePage: 'pc437' })].slice(2, 5)).toEqual([0x1b, 0x74, 0]);
    expect([...appearance(2, true)]).toEqual([0x1f, 0x58, 2, 0x1f, 0x45, 10]);
  });

  it('clears, and writes each line at the beginning of its row, with the euro sign', () => {
    expect(showLines(['é', '€'], {})).toEqual({
      ok: true,
      value: Uint8Array.of(0x0c, 0x1f, 0x24, 1, 1, 0xe9, 0x1f, 0x24, 1, 2, 0x80),
    });
  });

  it('writes a question mark for what the code page has not, and never a control code', () => {
    const written = showLines(['\u001b@é漢'], { codePage: 'pc437' });
    expect(written.ok && Buffer.from(written.value.subarray(5)).toString()).toBe('?@??');
  });

  it('refuses a line that is longer than the row, and a third line', () => {
    expect(showLines(['x'.repeat(21)], {})).toMatchObject({ ok: false, reason: expect.stringContaining('20 cells') });
    expect(showLines(['', '', ''], {})).toMatchObject({ ok: false });
  });
});

describe('PUT /display', () => {
  const start = async (device?: VirtualPoleDisplay) => {
    const node = await startTestNode({
      plugins: roomsWith(display),
      recipes: rows,
      ...(device && { devices: { 'pole-display': () => device } }),
    });
    onTestFinished(node.stop);
    const call = async (method: string, path: string, body?: object) => {
      const response = await fetch(`${node.url}${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
      return { status: response.status, body: await response.json() };
    };
    return { ...node, call };
  };
  const row = (text: string) => text.padEnd(20);

  it('shows two lines, tells so, and GET says what the customer sees', async () => {
    const device = new VirtualPoleDisplay();
    const { call } = await start(device);
    const lines = ['Espresso', 'Total         1,90 €'];
    expect(await call('PUT', '/display', { lines })).toMatchObject({
      status: 200,
      body: { condition: 'bound', lines },
    });
    expect(device.state.lines).toEqual(lines.map(row));
    device.actions['self-test'].act('#');
    expect(device.state.lines[0]).toBe('#'.repeat(20));
    expect(() => device.actions['self-test'].act('##')).toThrow(RangeError);
    expect((await call('GET', '/display')).body).toMatchObject({ lines, columns: 20 });
  });

  it('counts what was shown since the start, over the unplugging of a display', async () => {
    const device = new VirtualPoleDisplay();
    const { call, bench } = await start(device);
    await call('PUT', '/display', { lines: ['Espresso'] });
    await call('PUT', '/display', { lines: ['x'.repeat(21)] });
    bench.usb.unplug(device);
    await expect.poll(async () => (await call('GET', '/display')).body).toMatchObject({ condition: 'gone', shown: 1 });
  });

  it('refuses what does not fit or has no shape, and the display shows what it showed', async () => {
    const device = new VirtualPoleDisplay();
    const { call } = await start(device);
    await call('PUT', '/display', { lines: ['before'] });
    for (const lines of [['x'.repeat(21)], ['', '', ''], 'text', [1]])
      expect(await call('PUT', '/display', { lines } as object)).toMatchObject({
        status: 422,
        body: { ok: false, error: 'invalid_command' },
      });
    expect(device.state.lines[0]).toBe(row('before'));
  });

  it('is no_display without one', async () => {
    const { call } = await start();
    expect(await call('PUT', '/display', { lines: ['x'] })).toMatchObject({
      status: 409,
      body: { ok: false, error: 'no_display' },
    });
    expect((await call('GET', '/display')).body).toMatchObject({ condition: 'never_seen', lines: [] });
  });

  it('is display_failed where the display takes nothing, which is then silent until it does', async () => {
    const device = new VirtualPoleDisplay();
    const { call } = await start(device);
    device.misbehave({ nak: true });
    expect(await call('PUT', '/display', { lines: ['x'] })).toMatchObject({
      status: 409,
      body: { error: 'display_failed' },
    });
    expect((await call('GET', '/display')).body).toMatchObject({ condition: 'silent' });
    device.misbehave({ nak: false });
    expect((await call('PUT', '/display', { lines: ['y'] })).body).toMatchObject({ condition: 'bound' });
  });

  it('with no lines goes back to the idle text, which the configuration may change meanwhile', async () => {
    const device = new VirtualPoleDisplay();
    const { call } = await start(device);
    await call('PUT', '/config', { display: { idle: ['Welcome'], brightness: 2 } });
    await expect.poll(() => device.state).toMatchObject({ lines: [row('Welcome'), row('')], brightness: 2 });
    await call('PUT', '/display', { lines: ['Espresso'] });
    expect(device.state.lines[0]).toBe(row('Espresso'));
    expect((await call('PUT', '/display', { lines: [] })).body).toMatchObject({ lines: ['Welcome'] });
    expect(device.state.lines[0]).toBe(row('Welcome'));
  });
});
