/** Commands of every room are refused while the node restarts. */
import { expect, it, onTestFinished } from 'vitest';
import { succeeded } from '../../runtime/kernel/command.ts';
import { startTestNode } from '../../runtime/node/testing.ts';
import { wifiPlugins } from '../plugins.ts';

it('refuses a command before any room hears of it, and takes it again afterwards', async () => {
  const { kernel, stop } = await startTestNode({ plugins: wifiPlugins });
  onTestFinished(() => stop());
  const done: string[] = [];
  kernel.hooks.command.for('drawer_kick').tapPromise({ name: 'dispenser', stage: -5000 }, async (command) => {
    done.push(command.id);
    return succeeded(command, 'accepted', 1);
  });
  const letGo = kernel.hold();
  const pay = (id: string) => kernel.command({ type: 'drawer_kick', id, endpoint: 'receipt' });
  expect(await pay('1')).toMatchObject({ ok: false, error: 'restarting' });
  letGo();
  expect(await pay('2')).toMatchObject({ ok: true });
  expect(done).toEqual(['2']);
});
