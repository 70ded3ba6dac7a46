import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { REFERENCE, reference } from '../../runtime/assembly/docs/reference.ts';

it('the reference says what the sources say: npm run reference writes it', async () => {
  expect(await reference()).toBe(readFileSync(REFERENCE, 'utf8'));
}, 600_000);

it('it has the calls of every room, what they take and give, and the hooks of a node', () => {
  const text = readFileSync(REFERENCE, 'utf8');
  for (const part of [
    '`print(command: PrintCommand, options?: KeyedOptions)` | `CommandResult`',
    'type PrintCommand = {',
    '| `classify` |',
  ])
    expect(text).toContain(part);
});

it('it tells every type of this tree that a plugin meets, and says any of none', () => {
  const text = readFileSync(REFERENCE, 'utf8');
  for (const name of ['BodyDeclaration', 'LineSettings', 'RecipeFile', 'VirtualUsb', 'Card', 'PageNode'])
    expect(text).toContain(`**${name}**`);
  const declared = [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, block = '']) =>
    block.replaceAll(/\/\/.*|\/\*.*?\*\//gs, ''),
  );
  expect(declared.filter((block) => /(: |=> )any\b/.test(block))).toEqual([]);
});
