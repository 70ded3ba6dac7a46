/** `tillnode config [KEY [VALUE]]`. */
import { ConfigPatch as isPatch } from 'virtual:validators';
import { type Command, UsageError } from '../../cli/command.ts';
import { json, say, table } from '../../cli/terminal.ts';
import type { ConfigPatch } from '../../client/types.ts';

/** The value at a path such as `drawer.pin`; undefined if there is none. */
const valueAt = (config: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (part, key) => (Object.hasOwn(Object(part), key) ? (part as object)[key as never] : undefined),
    config,
  );

/** The text as JSON where the key takes such a value (`48`, `true`), else the text itself (`de`, a key of digits alone). */
function patchOf(path: readonly string[], text: string): unknown {
  const patch = (value: unknown) => path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  const asText = patch(text);
  try {
    const asJson = patch(JSON.parse(text));
    return isOfWrongType(asJson) && !isOfWrongType(asText) ? asText : asJson;
  } catch {
    return asText;
  }
}

const isOfWrongType = (patch: unknown): boolean => !isPatch(patch) && isPatch.errors?.[0]?.keyword === 'type';

const config: Command = {
  usage: '[KEY [VALUE]]',
  summary: 'the configuration, one key of it such as drawer.pin, or sets that key',
  positionals: [0, 2],
  async run(context, [key, value]) {
    const path = key?.split('.') ?? [];
    if (path.length > 2) throw new UsageError(`${key}: a key has one dot at most, as drawer.pin`);
    if (value !== undefined) {
      await context.client.configure(patchOf(path, value) as ConfigPatch, context);
    }
    const stored = await context.client.config(context);
    if (key === undefined) {
      if (context.json) return say(json(stored));
      return say(
        table(
          ['key', 'value'],
          Object.entries(stored).map(([name, each]) => [json(name).slice(1, -1), json(each)]),
        ),
      );
    }
    // A credential is shown as set or not.
    const found = valueAt(stored, path) ?? valueAt(stored, [...path.slice(0, -1), `${path.at(-1)}Set`]);
    if (found === undefined) throw new UsageError(`there is no key ${key}`);
    say(json(found));
  },
};

export const commands = { config };
