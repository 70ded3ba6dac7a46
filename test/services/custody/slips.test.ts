/** A slip for whoever stands at the counter, when a key or the mode has changed. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Slips } from '../../../runtime/services/custody/slips.ts';
import { wifiPlugins } from '../../plugins.ts';
import { KEY, startNode, until } from './node.ts';

const OTHER_KEY = 'another key of sixteen+';
const TITLE = 'ACCESS CHANGED';
/** The room itself, and those that cannot be without it. */
const NEED_CUSTODY = ['custody', 'network', 'cloud', 'compose'];

/** Slips at their own pace, in the place of the room's. */
async function startWithSlips(intervalMs: number) {
  const node = await startNode({ plugins: wifiPlugins.filter(({ name }) => !NEED_CUSTODY.includes(name)) });
  const slips = new Slips(node.kernel, { intervalMs });
  node.kernel.hooks.configured.tap('test', (change) => slips.changed(change));
  return { ...node, stopSlips: () => slips.stop() };
}

describe('a change of who may do what', () => {
  it('made in one request is told on one slip, with what to do if it was somebody else', async () => {
    const node = await startNode();
    await node.put({ apiKey: KEY, apiMode: 'strict' });
    await until(() => node.slips(TITLE) === 1);
    await until(() => node.onPaper('hold the B button on the box for 15 seconds'));
    expect(node.onPaper('An API key was set.')).toBe(true);
    expect(node.onPaper('The mode is now "strict": setting up this node and printing over the API need')).toBe(true);
    expect(node.paper()).not.toContain(KEY);
  });

  it.each([
    [{ apiKey: OTHER_KEY }, 'The API key was replaced.'],
    [{ apiMode: 'admin' }, 'The mode is now "admin": setting up this node needs the API key'],
    [{ apiMode: 'open' }, 'The mode is now "open": anybody on this network'],
    [{ apiMode: 'open', apiKey: '' }, 'The API key was removed.'],
  ])('to %j says so in plain words', async (patch, words) => {
    const node = await startWithSlips(1);
    await node.put({ apiKey: KEY, apiMode: 'strict' });
    await until(() => node.slips(TITLE) === 1);
    node.printer.tearOff();
    expect((await node.put(patch, KEY)).status).toBe(200);
    await until(() => node.onPaper('opens the node again.'));
    expect(node.onPaper(words)).toBe(true);
    expect(node.paper()).not.toContain(KEY);
    expect(node.paper()).not.toContain(OTHER_KEY);
  });

  it('is told in the language of the image, and in English', async () => {
    const node = await startNode({ image: { language: 'de' } });
    await node.put({ apiKey: KEY });
    await until(() => node.onPaper('opens the node again.'));
    expect([node.slips('ZUGANG GEÄNDERT'), node.slips(TITLE)]).toEqual([1, 1]);
    expect(node.onPaper('Ein API-Schlüssel wurde gesetzt.')).toBe(true);
  });

  it('that was refused, not stored or no change at all is not told', async () => {
    const node = await startWithSlips(1);
    await node.put({ apiKey: KEY });
    await until(() => node.slips(TITLE) === 1);
    node.printer.tearOff();
    expect((await node.put({ apiKey: OTHER_KEY })).status).toBe(401);
    expect((await node.put({ apiKey: 'short' }, KEY)).status).toBe(422);
    expect((await node.put({ apiKey: KEY, apiMode: 'open' }, KEY)).status).toBe(200);
    node.storage.failure = (operation) => (operation === 'write' ? new Error('EIO') : undefined);
    expect((await node.put({ apiMode: 'strict' }, KEY)).status).toBe(500);
    node.storage.failure = undefined;
    await node.put({ apiMode: 'admin' }, KEY);
    await until(() => node.onPaper('opens the node again.'));
    expect(node.slips(TITLE)).toBe(1);
    expect(node.onPaper('The mode is now "admin"')).toBe(true);
    expect(node.paper()).not.toMatch(/strict|replaced|times/);
  });

  it('again and again while a slip is due is summed up on the next one', async () => {
    const node = await startWithSlips(1);
    node.printer.set({ slow: 100 });
    await node.put({ apiKey: KEY });
    await until(() => node.slips(TITLE) === 1);
    for (let i = 0; i < 10; i += 1) await node.put({ apiMode: i % 2 ? 'strict' : 'admin' }, KEY);
    node.printer.set({ slow: 0 });
    await until(() => node.onPaper('Changed 10 times since the last slip.'));
    expect(node.onPaper('The mode is now "strict"')).toBe(true);
    expect(node.slips(TITLE)).toBe(2);
  });

  it('all day long takes one slip an interval, and no more', async () => {
    const interval = 60_000;
    const node = await startWithSlips(interval);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    let printed = 0;
    node.kernel.hooks.command.for('print').tap({ name: 'test', stage: -1 }, () => {
      printed += 1;
      return undefined;
    });
    let changes = 0;
    const change = () => node.put({ apiMode: changes++ % 2 ? 'strict' : 'admin' }, KEY);
    await node.put({ apiKey: KEY });
    vi.advanceTimersByTime(0);
    expect(printed).toBe(1);
    const printing = () => node.slips(TITLE) < printed;
    for (let slips = 1; slips <= 3; slips += 1) {
      while (printing()) await new Promise(setImmediate);
      await change();
      await change();
      vi.advanceTimersByTime(interval - 1);
      await change();
      expect(printed).toBe(slips);
      vi.advanceTimersByTime(1);
      expect(printed).toBe(slips + 1);
    }
  });

  it('is answered before the slip is out of a slow printer', async () => {
    const node = await startNode();
    node.printer.set({ slow: 100 });
    expect((await node.put({ apiKey: KEY })).status).toBe(200);
    expect((await node.config())['apiKeySet']).toBe(true);
    expect(node.onPaper('opens the node again.')).toBe(false);
    node.printer.set({ slow: 0 });
    await until(() => node.onPaper('opens the node again.'));
  });

  it('made while no printer is there is told by the next one', async () => {
    const node = await startNode({ unplugged: true });
    await node.put({ apiKey: KEY });
    await node.put({ apiMode: 'admin' }, KEY);
    node.bench.usb.plug(node.printer);
    await until(() => node.onPaper('opens the node again.'));
    expect(node.onPaper('An API key was set.')).toBe(true);
    expect(node.onPaper('The mode is now "admin"')).toBe(true);
    expect(node.slips(TITLE)).toBe(1);
  });

  it('is not told after the node has stopped', async () => {
    const node = await startWithSlips(1);
    node.stopSlips();
    await node.put({ apiKey: KEY });
    await node.print('last');
    expect(node.slips(TITLE)).toBe(0);
  });
});
