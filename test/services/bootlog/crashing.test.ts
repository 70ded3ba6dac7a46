/** A node that crashes again and again, or whose disk takes nothing, says so: in the status, and on paper. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import { VirtualBoot, type VirtualBootOptions } from '../../../runtime/bindings/virtual/boot.ts';
import { VirtualStorage } from '../../../runtime/bindings/virtual/storage.ts';
import { startTestNode } from '../../../runtime/node/testing.ts';
import { slip } from '../../../runtime/services/bootlog/crashing.ts';
import { until } from '../../node.ts';
import { wifiPlugins } from '../../plugins.ts';

const WORDS = 'THIS NODE KEEPS CRASHING';

/** One run; how long it was is what the next is told. */
async function boot(storage: VirtualStorage, options: VirtualBootOptions) {
  const printer = new VirtualPrinter();
  const node = await startTestNode({
    plugins: wifiPlugins,
    devices: { printer: () => printer },
    storage,
    boot: new VirtualBoot(options),
  });
  onTestFinished(() => node.stop());
  const status = async () => {
    const response = await fetch(`${node.url}/status`);
    return ((await response.json()) as { boot: Record<string, unknown> }).boot;
  };
  const bound = () => until(() => node.kernel.hotplug.states().some(({ condition }) => condition === 'bound'));
  const slips = () => printer.paperText().split(WORDS).length - 1;
  return { ...node, status, bound, slips };
}

const crashed = (uptimeSeconds: number): VirtualBootOptions => ({
  reason: 'crash',
  previous: { uptimeSeconds, detail: 'exit code 70' },
});

describe('a node that crashed', () => {
  it('counts it in the status for an hour of running', async () => {
    const storage = new VirtualStorage();
    expect(await (await boot(storage, {})).status()).toEqual({ reason: 'power_on', crashes: 0, kept: true });
    const second = await boot(storage, crashed(60));
    expect(await second.status()).toEqual({ reason: 'crash', crashes: 1, kept: true });
    Object.assign(second.kernel, { startedAt: performance.now() - 3_601_000 });
    expect(await second.status()).toMatchObject({ crashes: 0 });
  });

  it('counts the crash that caused a roll back as well, and no orderly stop before one', async () => {
    const storage = new VirtualStorage();
    await (await boot(storage, { reason: 'update' })).stop();
    expect(await (await boot(storage, { reason: 'rollback' })).status()).toMatchObject({ crashes: 0 });
    await boot(storage, crashed(65));
    const last = await boot(storage, { ...crashed(65), reason: 'rollback' });
    expect(await last.status()).toEqual({ reason: 'rollback', crashes: 2, kept: true });
  });

  it('three times within an hour says so on paper, and then not for an hour', async () => {
    const storage = new VirtualStorage();
    await boot(storage, {});
    for (const seconds of [60, 60]) {
      const node = await boot(storage, crashed(seconds));
      await node.bound();
      expect(node.slips()).toBe(0);
    }
    const third = await boot(storage, crashed(60));
    await until(() => third.slips() === 1);
    const fourth = await boot(storage, crashed(60));
    await fourth.bound();
    expect(await fourth.status()).toMatchObject({ crashes: 4 });
    const last = await boot(storage, crashed(3600));
    await last.bound();
    expect(fourth.slips() + last.slips()).toBe(0);
    const after = await boot(storage, crashed(60));
    await after.bound();
    expect(after.slips()).toBe(0);
    const again = await boot(storage, crashed(60));
    await until(() => again.slips() === 1);
  });

  it('says so in the language of its image, and in English', () => {
    const lines = slip(3, { version: '1.2.3', language: 'it' }).map((line) => (line as { value?: string }).value);
    expect(lines.filter((value) => /CRASHING|ARRESTI ANOMALI/.test(value ?? ''))).toHaveLength(2);
    expect(lines.filter((value) => /3 (times|arresti anomali).*1\.2\.3/.test(value ?? ''))).toHaveLength(2);
  });

  it('prints no slip that it could not keep in mind', async () => {
    const storage = new VirtualStorage();
    await boot(storage, {});
    for (const seconds of [60, 60]) await boot(storage, crashed(seconds));
    storage.failure = (operation) => (operation === 'write' ? new Error('the disk is full') : undefined);
    const node = await boot(storage, crashed(60));
    await node.bound();
    expect(await node.status()).toMatchObject({ crashes: 3, kept: false });
    expect(node.slips()).toBe(0);
  });
});

it('a node whose disk takes nothing says that nothing can be kept', async () => {
  const storage = new VirtualStorage();
  storage.failure = (operation) => (operation === 'write' ? new Error('read-only file system') : undefined);
  expect(await (await boot(storage, {})).status()).toMatchObject({ kept: false });
});

it('a factory image that took the place of an update says of which', async () => {
  const superseded = { slot: 'a', version: '1.0.0' } as const;
  const node = await boot(new VirtualStorage(), { slot: 'factory', reason: 'update', superseded });
  expect(await node.status()).toMatchObject({ superseded: { slot: 'a', firmwareVersion: '1.0.0' } });
});
