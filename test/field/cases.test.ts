/** Devices of the public record on the virtual bus: each is driven, or refused by name. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type FieldCase, play } from './case.ts';

const FOLDER = 'test/field/devices';
const cases = readdirSync(FOLDER).map((name) => [
  name.replace('.json', ''),
  JSON.parse(readFileSync(`${FOLDER}/${name}`, 'utf8')) as FieldCase,
]) as [string, FieldCase][];

describe.concurrent('a device of the public record', () => {
  it.each(cases)('is driven, or refused by name: %s', async (_, field) => {
    const shown = await play(field);
    expect(field.source).not.toBe('');
    expect(shown, field.says).toMatchObject(field.expect);
  });
});
