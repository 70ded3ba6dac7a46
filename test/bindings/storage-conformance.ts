/** What every StorageBinding keeps; each implementation's own test runs it. */
import { expect, it } from 'vitest';
import type { StorageBinding } from '../../runtime/bindings/storage.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (content: Uint8Array | undefined) => content && new TextDecoder().decode(content);

export function storageConformance(create: () => Promise<StorageBinding>): void {
  it('answers undefined for a name never written', async () => {
    expect(await (await create()).read('never')).toBeUndefined();
  });

  it('reads back what was written, byte for byte', async () => {
    const storage = await create();
    const content = Uint8Array.from({ length: 20_016 }, (_, index) => (index * 7) % 256);
    await storage.write('blob', content);
    expect(Buffer.compare((await storage.read('blob')) ?? bytes(''), content)).toBe(0);
  });

  it('keeps an empty content apart from none', async () => {
    const storage = await create();
    await storage.write('empty', new Uint8Array());
    expect((await storage.read('empty'))?.length).toBe(0);
  });

  it('replaces content whole, also with shorter', async () => {
    const storage = await create();
    await storage.write('name', bytes('a long first content'));
    await storage.write('name', bytes('short'));
    expect(text(await storage.read('name'))).toBe('short');
  });

  it('has written before writeNow returns', async () => {
    const storage = await create();
    await storage.write('name', bytes('before'));
    storage.writeNow('name', bytes('last words'));
    expect(text(await storage.read('name'))).toBe('last words');
    expect(() => storage.writeNow('../name', bytes(''))).toThrow(TypeError);
  });

  it('adds to the end of what is there, in the order of the calls, also where nothing was', async () => {
    const storage = await create();
    const [one, two, three] = ['one ', 'two ', 'three'].map(bytes) as [Uint8Array, Uint8Array, Uint8Array];
    await Promise.all([storage.append('log', one), storage.note('log', two), storage.append('log', three)]);
    expect(text(await storage.read('log'))).toBe('one two three');
    await storage.write('log', bytes('anew, '));
    await storage.append('log', bytes('and on'));
    expect(text(await storage.read('log'))).toBe('anew, and on');
    await storage.note('new', bytes('noted'));
    expect(text(await storage.read('new'))).toBe('noted');
    for (const how of ['append', 'note'] as const)
      await expect(storage[how]('../log', bytes(''))).rejects.toThrow(TypeError);
  });

  it('keeps names apart', async () => {
    const storage = await create();
    await Promise.all([storage.write('one', bytes('1')), storage.write('two', bytes('2'))]);
    expect([text(await storage.read('one')), text(await storage.read('two'))]).toEqual(['1', '2']);
  });

  it('stores what the content was when asked, whatever becomes of the buffer', async () => {
    const storage = await create();
    const buffer = bytes('before');
    const written = storage.write('name', buffer);
    buffer.fill(0);
    await written;
    expect(text(await storage.read('name'))).toBe('before');
  });

  it('hands out content that is the reader’s own', async () => {
    const storage = await create();
    await storage.write('name', bytes('content'));
    (await storage.read('name'))?.fill(0);
    expect(text(await storage.read('name'))).toBe('content');
  });

  it('ends writes to one name in the order they were asked for', async () => {
    const storage = await create();
    await Promise.all(Array.from({ length: 20 }, (_, index) => storage.write('name', bytes(String(index)))));
    expect(text(await storage.read('name'))).toBe('19');
  });

  it('removes a name, and takes removing a missing one as done', async () => {
    const storage = await create();
    await storage.write('name', bytes('content'));
    await storage.remove('name');
    await storage.remove('name');
    expect(await storage.read('name')).toBeUndefined();
  });

  it.each(['', 'UPPER', 'a/b', '../a', 'a\0b', 'ä', 'a b', 'a~b', 'a'.repeat(65)])(
    'refuses the name %j',
    async (name) => {
      const storage = await create();
      await expect(storage.read(name)).rejects.toThrow(TypeError);
      await expect(storage.write(name, bytes('x'))).rejects.toThrow(TypeError);
      await expect(storage.remove(name)).rejects.toThrow(TypeError);
    },
  );

  it('takes the longest name', async () => {
    const storage = await create();
    const name = `${'a-0.'.repeat(15)}abcd`;
    await storage.write(name, bytes('content'));
    expect(text(await storage.read(name))).toBe('content');
  });
}
