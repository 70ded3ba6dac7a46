/**
 * The conformance suite of device rooms: sentences about a room that every room of this project keeps, wherever it
 * comes from. Any test runner can run them: `for (const { sentence, check } of roomConformance(room)) it(sentence, check)`.
 */
import assert from 'node:assert/strict';
import type { VirtualDevice } from '../bindings/virtual/device.ts';
import { createAjv } from '../kernel/ajv.ts';
import type { RoomBenchOptions } from './bench.ts';
import { declaredChecks } from './declared.ts';
import { lifeChecks } from './life.ts';
import { replay, type Story } from './story.ts';

export interface RoomUnderTest extends Pick<RoomBenchOptions, 'plugin' | 'endpoint' | 'recipeFiles'> {
  /** The virtual device, anew with each call. */
  device(): VirtualDevice;
  readonly recordings?: readonly { readonly story: Story; readonly text: string }[];
}

export interface Check {
  readonly sentence: string;
  /** Throws, or rejects, where the sentence is not true. */
  check(): void | Promise<void>;
}

export function roomConformance(room: RoomUnderTest): Check[] {
  const { recordings = [] } = room;
  return [
    ...declaredChecks(room),
    ...lifeChecks(room),
    ...recordings.map(({ story, text }) => ({
      sentence: `tells of ${story.path} what it told when that was recorded, in the shapes it declares`,
      check: async () => {
        const declared = new Map((room.plugin.events ?? []).map(({ type, schema }) => [type, schema]));
        const ajv = createAjv();
        for (const event of await replay(room, story, text)) {
          const schema = declared.get(event.type);
          if (schema !== undefined) assert.ok(ajv.validate(schema, event), `${event.type}: ${ajv.errorsText()}`);
        }
      },
    })),
  ];
}
