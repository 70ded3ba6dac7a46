import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { REFERENCE, reference } from '../../runtime/assembly/docs/reference.ts';

describe('the reference', () => {
  it('says what the sources say: npm run reference writes it', async () => {
    expect(await reference()).toBe(readFileSync(REFERENCE, 'utf8'));
  }, 600_000);

  it('has the calls of every room, what they take and give, and the hooks of a node', () => {
    const text = readFileSync(REFERENCE, 'utf8');
    for (const part of [
      '`print(command: PrintCommand, options?: KeyedOptions)` | `CommandResult`',
      'type PrintCommand = {',
      '| `classify` |',
    ])
      expect(text).toContain(part);
  });

  it('tells every type of this tree that a plugin meets, and says any of none', () => {
    const text = readFileSync(REFERENCE, 'utf8');
    for (const name of ['BodyDeclaration', 'LineSettings', 'RecipeFile', 'VirtualUsb', 'Card', 'PageNode'])
      expect(text).toContain(`**${name}**`);
    const declared = [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, block = '']) =>
      block.replaceAll(/\/\/.*|\/\*.*?\*\//gs, ''),
    );
    expect(declared.filter((block) => /(: |=> )any\b/.test(block))).toEqual([]);
  });

  it('has an entry for every type of this tree that a hook gives, takes or is', () => {
    const text = readFileSync(REFERENCE, 'utf8');
    const [, table = ''] = /### The hooks of a node\n(.*?)\n### /s.exec(text) ?? [];
    const shown = [...table.matchAll(/^\| `\w+` \| `(.*?)` \|/gm)].map(([, type = '']) => type);
    const names = new Set(shown.join().match(/\b[A-Z]\w*/g));
    expect(names).toContain('TransferRecord');
    // Of tapable and of Node.
    const foreign = /^(A?[Ss]ync\w*Hook|HookMap|IncomingMessage|Record|Readonly|Promise)$/;
    const told = [...names].filter((name) => text.includes(`**${name}**`) || text.includes(`type ${name} =`));
    expect([...names].filter((name) => !told.includes(name) && !foreign.test(name))).toEqual([]);
  });

  it('says of an entry that it exports the types that overriding a protected member of its classes needs', () => {
    const text = readFileSync(REFERENCE, 'utf8');
    const [, section = ''] = /### tillnode\/virtual\n(.*?)\n### /s.exec(text) ?? [];
    const taken = [...section.matchAll(/^ *protected (?:abstract )?\w+\((.*)\)/gm)].map(
      ([, parameters = '']) => parameters,
    );
    const names = new Set(taken.join().match(/(?<=: )[A-Z]\w*/g));
    expect(names).toContain('UsbSetup');
    const lacking = [...names].filter((name) => name !== 'Uint8Array' && !section.includes(`**${name}**`));
    expect(lacking).toEqual([]);
  });
});
