/**
 * The conformance suite of device rooms: checks that every device room must pass, in this tree or in another package.
 * Any test runner can run them: `for (const { sentence, check } of roomConformance(room)) it(sentence, check)`.
 */
import assert from 'node:assert/strict';
import { createAjv } from '../base/ajv.ts';
import type { Check, RoomUnderTest } from './check.ts';
import { declaredChecks } from './declared.ts';
import { lifeChecks } from './life.ts';
import { replay } from './story.ts';

/** All checks of a room: its declarations, its life with a virtual device, and each of its recordings. */
export function roomConformance(room: RoomUnderTest): Check[] {
  const { recordings = [] } = room;
  return [
    ...declaredChecks(room),
    ...lifeChecks(room),
    ...recordings.map(({ story, text }) => ({
      sentence: `emits for ${story.path} the recorded events, valid by the schemas that it declares`,
      check: async () => {
        const declared = room.plugin.events ?? {};
        const ajv = createAjv();
        for (const event of await replay(room, story, text)) {
          const schema = declared[event.type]?.schema;
          if (schema !== undefined) assert.ok(ajv.validate(schema, event), `${event.type}: ${ajv.errorsText()}`);
        }
      },
    })),
  ];
}
