/** `tillnode config [KEY [VALUE]]`. */
import { type Command, UsageError } from '../../cli/command.ts';
import { json, say, table } from '../../cli/terminal.ts';
import type { ConfigPatch } from '../../client/types.ts';

/** The value at a path such as `drawer.pin`; undefined if there is none. */
const valueAt = (config: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (part, key) => (Object.hasOwn(Object(part), key) ? (part as object)[key as never] : undefined),
    config,
  );

/** JSON, or else the text itself: `48`, `true`, `de`. */
function valueIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const config: Command = {
  usage: '[KEY [VALUE]]',
  summary: 'the configuration, one key of it such as drawer.pin, or sets that key',
  positionals: [0, 2],
  async run(context, [key, value]) {
    const path = key?.split('.') ?? [];
    if (path.length > 2) throw new UsageError(`${key}: a key has one dot at most, as drawer.pin`);
    if (value !== undefined) {
      const patch = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), valueIn(value));
      await context.client.configure(patch as ConfigPatch, context);
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
