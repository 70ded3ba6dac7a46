import { fileURLToPath } from 'node:url';
import { onBench, readRecipeFiles, roomConformance } from 'tillnode/conformance';
import { describe, expect, it } from 'vitest';
import { takeLines } from './codec.ts';
import room from './index.ts';
import { VirtualSample } from './virtual.ts';

const recipeFiles = readRecipeFiles(fileURLToPath(new URL('recipes', import.meta.url)));
const device = () => new VirtualSample();
const tried = { plugin: room, endpoint: 'sample', device, recipeFiles };

describe('the sample room conforms:', () => {
  for (const { sentence, check } of roomConformance(tried))
    it(sentence, async () => expect(await check()).toBeUndefined());
});

describe('the codec', () => {
  it('makes lines of what arrives, whatever the pieces', () => {
    const state = { bytes: [] };
    const pieces = ['12', '.5\r\n7\n'].map((piece) => takeLines(state, Buffer.from(piece)));
    expect(pieces.flat()).toEqual([
      { ok: true, value: '12.5' },
      { ok: true, value: '7' },
    ]);
  });
});

it('GET /sample gives the last reading, for which the button of the virtual device is pressed, and it is an event', () =>
  onBench(tried, async ({ node, plug, events }) => {
    const plugged = device();
    await plug(plugged);
    plugged.actions.reading.act('42');
    const read = { type: 'sample_read', endpoint: 'sample', value: '42' };
    await expect.poll(() => events).toContainEqual(read);
    const answer = await fetch(`${node.url}/sample`);
    expect(await answer.json()).toEqual({ endpoint: 'sample', condition: 'bound', value: '42' });
  }));
