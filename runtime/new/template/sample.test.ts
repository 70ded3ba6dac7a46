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

const config = {
  sample: { greeting: 'good morning' },
};

it('POST /sample sends a line to the device, or says that there is none', () =>
  onBench({ ...tried, config }, async ({ node, plug, unplug }) => {
    const plugged = device();
    await plug(plugged);
    expect(plugged.state.told).toBe('good morning');
    const say = async () => {
      const command = {
        type: 'sample_say',
        id: '1',
        endpoint: 'sample',
        line: 'open',
      };
      const answer = await fetch(`${node.url}/sample`, { method: 'POST', body: JSON.stringify(command) });
      return { status: answer.status, body: await answer.json() };
    };
    expect(await say()).toMatchObject({ status: 200, body: { ok: true, commandId: '1', bytes: 6 } });
    expect(plugged.state.told).toBe('open');
    const { jobs } = (await (await fetch(`${node.url}/jobs`)).json()) as { jobs: readonly object[] };
    expect(jobs).toMatchObject([{ kind: 'sample_say', id: '1', outcome: 'accepted', bytes: 6 }]);
    await unplug(plugged);
    expect(await say()).toMatchObject({ status: 409, body: { ok: false, error: 'sample_missing' } });
  }));
