/** Commands of clients that wait: at most 64, 32 of one address; the next is refused at once. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { VirtualPrinter } from '../../plugins/printer/virtual/device.ts';
import { startTestNode } from '../../runtime/node/testing.ts';
import { cameraPlugins } from '../plugins.ts';

async function jammed() {
  const printer = new VirtualPrinter();
  const { kernel, stop } = await startTestNode({ plugins: cameraPlugins, devices: { printer: () => printer } });
  onTestFinished(() => stop());
  await kernel.settled();
  printer.set({ nak: true });
  let id = 0;
  const kick = (from?: string) =>
    kernel.command({ type: 'drawer_kick', id: `${id++}`, endpoint: 'receipt', ...(from !== undefined && { from }) });
  /** What comes of it before the printer takes anything: undefined while it waits. */
  const atOnce = (from?: string) =>
    Promise.race([kick(from), new Promise<undefined>((r) => setImmediate(() => r(undefined)))]);
  return { kernel, printer, kick, atOnce };
}

describe('a node', () => {
  it('refuses the 33rd command of one address, and takes that of another, and of the node itself', async () => {
    const { kernel, kick, atOnce } = await jammed();
    for (let n = 0; n < 32; n += 1) void kick('10.0.0.1');
    kernel.hooks.awaited.tap({ name: 'test', before: 'printer' }, ({ endpoint }) => `the test holds ${endpoint}`);
    expect(await atOnce('10.0.0.1')).toMatchObject({
      ok: false,
      error: 'busy',
      detail: '64 commands wait, or 32 of this address; nothing was written; the test holds receipt',
    });
    expect(await atOnce('10.0.0.2')).toBeUndefined();
    expect(await atOnce()).toBeUndefined();
  });

  it('refuses the 65th command of all, and takes one again when one has ended', async () => {
    const { printer, kick, atOnce } = await jammed();
    const waiting = Array.from({ length: 64 }, (_, n) => kick(`10.0.0.${n}`));
    expect(await atOnce('10.0.1.1')).toMatchObject({ error: 'busy' });
    printer.set({ nak: false });
    await Promise.all(waiting);
    expect(await kick('10.0.1.1')).toMatchObject({ ok: true });
  });
});
