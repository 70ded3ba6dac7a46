import { describe, expect, it } from 'vitest';
import { VirtualStorage } from '../../runtime/bindings/virtual/storage.ts';
import { storageConformance } from './storage-conformance.ts';

describe('virtual storage', () => {
  storageConformance(async () => new VirtualStorage());

  it('keeps the old content when told to fail a write', async () => {
    const storage = new VirtualStorage();
    await storage.write('name', Uint8Array.of(1));
    storage.failure = (operation) => (operation === 'write' ? new Error('disk failed') : undefined);
    await expect(storage.write('name', Uint8Array.of(2))).rejects.toThrow('disk failed');
    expect(Array.from((await storage.read('name')) ?? [])).toEqual([1]);
  });
});
