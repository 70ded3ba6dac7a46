/** `tillnode config [KEY [VALUE]]`, `tillnode backup [FILE]` and `tillnode restore FILE`. */
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { ConfigPatch as isPatch } from 'virtual:validators';
import { Gathered } from '../../base/gathered.ts';
import { messageOf } from '../../base/thrown.ts';
import { type CliCommand, UsageError } from '../../cli/command.ts';
import { json, table, writeOut } from '../../cli/terminal.ts';
import type { ConfigPatch } from '../../client/types.ts';
import { backup, MOST_CHARACTERS, readSaved, restore } from './client-backup.ts';

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

const config: CliCommand = {
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
      if (context.json) return writeOut(json(stored));
      return writeOut(
        table(
          ['key', 'value'],
          Object.entries(stored).map(([name, each]) => [json(name).slice(1, -1), json(each)]),
        ),
      );
    }
    // A credential is shown as set or not.
    const found = valueAt(stored, path) ?? valueAt(stored, [...path.slice(0, -1), `${path.at(-1)}Set`]);
    if (found === undefined) throw new UsageError(`there is no key ${key}`);
    writeOut(json(found));
  },
};

/** What failed with a file, by its name. */
const naming =
  (file: string) =>
  (error: unknown): never => {
    throw new UsageError(`${file}: ${messageOf(error)}`);
  };

/** All of a file of settings; of another one, as of a device without end, more than such a file has. */
async function beginningOf(file: string): Promise<string> {
  const read = new Gathered();
  for await (const chunk of createReadStream(file, { end: 4 * MOST_CHARACTERS })) read.push(chunk as Buffer);
  return read.whole().toString();
}

const tellBesides = (keys: readonly string[], what: string): void => {
  if (keys.length > 0) writeOut(`${what}: ${keys.join(', ')}`);
};

const save: CliCommand = {
  usage: '[FILE]',
  summary: 'saves the settings, without keys and passwords, to a file that must not be there, or prints them',
  positionals: [0, 1],
  async run({ client }, [file]) {
    const saved = await backup(client);
    const text = JSON.stringify(saved, undefined, 2);
    if (file === undefined) return writeOut(text);
    await writeFile(file, `${text}\n`, { flag: 'wx' }).catch(naming(file));
    tellBesides(saved.typeAnew, 'to be typed anew after a restore');
  },
};

const load: CliCommand = {
  usage: 'FILE',
  summary: 'gives a node the settings of such a file, and says what must be typed anew',
  positionals: 1,
  async run(context, [file = '']) {
    const text = await beginningOf(file).catch(naming(file));
    const restored = await restore(context.client, await Promise.resolve(text).then(readSaved).catch(naming(file)));
    if (context.json) return writeOut(json(restored));
    tellBesides(restored.typeAnew, 'to be typed anew');
    tellBesides(restored.leftOut, 'not on this node');
  },
};

export const commands = { config, backup: save, restore: load };
