import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { closed } from '../../runtime/base/schema.ts';
import { definePlugin } from '../../runtime/kernel/plugin.ts';
import { settingsNodes } from '../services/settings/node.ts';

const Numbers = closed({ low: Type.Optional(Type.Integer()), high: Type.Optional(Type.Integer()) });
interface Numbers {
  readonly low: number;
  readonly high: number;
}

declare module '../../runtime/kernel/registry.ts' {
  interface ConfigKeys {
    range: Numbers;
  }
}

/** High follows low up, unless the patch says high; checked after that. */
const range = definePlugin({
  name: 'range',
  api: 2,
  config: [
    {
      key: 'range',
      schema: Numbers,
      default: { low: 0, high: 0 },
      settle(value, { previous, patch }) {
        const { low, high } = value as Numbers;
        const raised = low > previous.range.low && !Object.hasOwn(patch['range'] as object, 'high');
        return { low, high: raised ? Math.max(low, high) : high };
      },
      check(next) {
        const { low, high } = next.range;
        if (high < low) throw new RangeError('high is below low');
      },
    },
    { key: 'other', schema: Type.Boolean(), default: false },
  ],
});

const newNode = settingsNodes(range);

it('a room settles what a patch of its key leaves open, before the rules look at it', async () => {
  const node = await newNode();
  expect((await node.put({ range: { low: 5 } })).code).toBe('ok');
  expect(node.config()['range']).toEqual({ low: 5, high: 5 });
  expect((await node.restart()).config()['range']).toEqual({ low: 5, high: 5 });
  await expect(node.put({ range: { low: 9, high: 6 } })).rejects.toThrow(RangeError);
});

it('a room is not asked about patches of other keys', async () => {
  const node = await newNode();
  expect((await node.put({ other: true })).code).toBe('ok');
  expect(node.config()).toMatchObject({ range: { low: 0, high: 0 }, other: true });
});
