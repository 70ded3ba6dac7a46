import { expect, it, onTestFinished } from 'vitest';
import { VirtualStorage } from '../../runtime/bindings/virtual/storage.ts';
import { startTestNode } from '../../runtime/node/testing.ts';

async function deviceIdOf(storage: VirtualStorage): Promise<string> {
  const { kernel, stop } = await startTestNode({ plugins: [], devices: {}, storage });
  await stop();
  return kernel.deviceId;
}

it('a node makes its id once, of eight lower-case hexadecimal digits, and keeps it', async () => {
  const storage = new VirtualStorage();
  const id = await deviceIdOf(storage);
  expect(id).toMatch(/^[0-9a-f]{8}$/);
  expect(await deviceIdOf(storage)).toBe(id);
  expect(await deviceIdOf(new VirtualStorage())).not.toBe(id);
});

it('a node starts before its first id is on the disk, and has it there when it has stopped', async () => {
  const storage = new VirtualStorage();
  const write = storage.write.bind(storage);
  let disk = () => {};
  storage.write = async (...all) => {
    await new Promise<void>((resolve) => {
      disk = resolve;
    });
    return write(...all);
  };
  const { kernel, stop } = await startTestNode({ plugins: [], devices: {}, storage });
  const stopped = stop();
  disk();
  await stopped;
  expect(await deviceIdOf(storage)).toBe(kernel.deviceId);
});

it('a node that cannot store its id has it as long as the process', async () => {
  const storage = new VirtualStorage();
  storage.failure = (operation) => (operation === 'write' ? new Error('the disk is full') : undefined);
  const { kernel, stop } = await startTestNode({ plugins: [], devices: {}, storage });
  onTestFinished(stop);
  expect(kernel.deviceId).toMatch(/^[0-9a-f]{8}$/);
  expect(kernel.deviceId).toBe(kernel.deviceId);
});
