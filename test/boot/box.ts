/** A launcher on a disk of its own, with images of a few lines. */

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { BootSlot } from '../../runtime/bindings/boot.ts';
import type { BootFacts, ToLauncher } from '../../runtime/bindings/boot-messages.ts';
import { IncomingSlot } from '../../runtime/bindings/native/boot-slot.ts';
import { createStorage } from '../../runtime/bindings/native/storage.ts';
import { Launcher, type LaunchOptions } from '../../runtime/boot/launcher.ts';
import { type Notifier, silent } from '../../runtime/boot/notify.ts';
import { Slots } from '../../runtime/boot/slots.ts';
import { type BootState, installed, readState, writeState } from '../../runtime/boot/state.ts';
import { until } from '../node.ts';

/** Every image writes down how it was started; `then` is what it does next. */
const image = (name: string, then: string) => `
import fs from 'node:fs';
const note = process.argv[2];
const write = (line) => fs.appendFileSync(note, JSON.stringify(line) + '\\n');
const say = (message) => process.send(message);
write({ image: ${JSON.stringify(name)}, facts: JSON.parse(process.env.TILLNODE_BOOT) });
process.on('disconnect', () => process.exit(1));
process.on('message', (answer) => write({ image: ${JSON.stringify(name)}, answer }));
${then}
`;

export const GOOD = "say({ type: 'good' }); setInterval(() => say({ type: 'alive' }), 20);";
export const CRASHES = 'process.exit(3);';
export const HANGS = 'setInterval(() => {}, 1000);';

export interface Noted {
  readonly image: string;
  readonly facts?: BootFacts;
  readonly answer?: { readonly id: number; readonly error?: string };
}

export async function makeBox(factory: string, patience: LaunchOptions['patience'] = {}) {
  const root = mkdtempSync(join(tmpdir(), 'box-'));
  const note = join(root, 'note.ndjson');
  const state = join(root, 'state');
  mkdirSync(join(root, 'factory'));
  writeFileSync(join(root, 'factory/main.js'), image('factory', factory));
  writeFileSync(note, '');
  const storage = () => createStorage(join(state, 'boot'));
  const lines: object[] = [];
  const running: { launcher: Launcher; done: Promise<void> }[] = [];
  const powerOff = async () => {
    for (const { launcher, done } of running.splice(0)) {
      launcher.stop();
      await done;
    }
  };
  onTestFinished(async () => {
    await powerOff();
    rmSync(root, { recursive: true });
  });
  const fill = async (slot: 'a' | 'b', version: string, then: string, install: (manifest: string) => Promise<void>) => {
    const directory = join(state, 'slots', slot);
    mkdirSync(directory, { recursive: true });
    const source = Buffer.from(image(version, then));
    const writer = await IncomingSlot.open(directory, (_version, manifest) => install(manifest));
    await writer.write(Buffer.concat([Buffer.from('ahead'), source]));
    const sha256 = createHash('sha256').update(source).digest('hex');
    await writer.commit({ version, files: [{ name: 'main.js', offset: 5, size: source.length, sha256 }] });
  };
  const noted = () =>
    readFileSync(note, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Noted);
  const starts = () => noted().flatMap(({ image: name, facts }) => (facts ? [{ name, ...facts }] : []));
  return {
    root,
    noted,
    /** Every start so far, as the image was told of it. */
    starts,
    slot: (name: string) => join(state, 'slots', name),
    /** Read beside the launcher, which is not disturbed. */
    bootState: (): BootState => newestState(join(state, 'boot')),
    /** How often the boot state was written from now on: each time another file takes its name. */
    countStateWrites: () => {
      let writes = 0;
      const watcher = watch(join(state, 'boot'), (_, name) => {
        if (/^state\.[ab]$/.test(name ?? '')) writes += 1;
      });
      onTestFinished(() => watcher.close());
      return () => writes;
    },
    setBootState: async (next: BootState) => writeState(await storage(), next),
    /** Puts an image into a slot while nothing runs, to be booted next. */
    install: (slot: 'a' | 'b', version: string, then: string, from: BootSlot = 'factory') =>
      fill(slot, version, then, async (manifest) => {
        const boot = await storage();
        const factory = (await new Slots(join(state, 'slots'), join(root, 'factory')).factory())?.digest;
        const about = { version, manifest, ...(factory !== undefined && { factory }) };
        await writeState(boot, installed(await readState(boot), slot, about, from));
      }),
    /** Puts an image into a slot, and the order to install it beside the note, for an image that looks for it. */
    deliver: (slot: 'a' | 'b', version: string, then: string) =>
      fill(slot, version, then, async (manifest) => {
        writeFileSync(`${note}.new`, JSON.stringify({ type: 'install', id: 2, version, manifest }));
        renameSync(`${note}.new`, `${note}.order`);
      }),
    powerOn({
      port = 0,
      notifier = silent,
      ...impatient
    }: { readonly port?: number; readonly notifier?: Notifier } & LaunchOptions['patience'] = {}): Launcher {
      const launcher = new Launcher({
        ...{ state, factory: join(root, 'factory'), host: '127.0.0.1', port, args: [note], notifier },
        log: (line) => void lines.push(line),
        // Flags of V8 are those of the process: nothing is collected while other tests look at them.
        patience: {
          ...{ goodMs: 5000, crashMs: 1, longestMs: 5, outOfOrderMs: 50, collectMs: 3_600_000 },
          ...patience,
          ...impatient,
        },
      });
      running.push({ launcher, done: launcher.run() });
      return launcher;
    },
    powerOff,
    /** Changes what the last launcher noted about its run, as another boot of the machine would find it. */
    amendLastRun: (changes: object) => {
      const path = join(state, 'boot/last-run');
      writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...changes }));
    },
    /** Resolves once images have been started this often. */
    started: (count: number) => until(() => starts().length >= count),
    /** Rewrites the factory image. */
    refit: (then: string) => writeFileSync(join(root, 'factory/main.js'), image('factory', then)),
    /** A package of this version comes over the one that was there. */
    package(version: string, then: string) {
      this.refit(then);
      writeFileSync(join(root, 'factory/image.json'), JSON.stringify({ version }));
    },
    /** The slot of every start, as the launcher logged it: an image may not come as far as a word of its own. */
    slotsStarted: (): unknown[] =>
      (lines as { readonly msg?: string; readonly slot?: string }[])
        .filter(({ msg }) => msg === 'image started')
        .map(({ slot }) => slot),
    /** Every line that a launcher logged. */
    logged: (): readonly object[] => lines,
  };
}

/** As a start would find it. */
function newestState(directory: string): BootState {
  const found = ['state.a', 'state.b'].map((name) => {
    try {
      return JSON.parse(readFileSync(join(directory, name), 'utf8')) as { generation: number; state: BootState };
    } catch {
      return undefined;
    }
  });
  const [newest] = found.filter((each) => each !== undefined).sort((x, y) => y.generation - x.generation);
  if (newest === undefined) throw new Error('no boot state is stored');
  return newest.state;
}

/** Source that asks the launcher for something. */
export const asks = (message: ToLauncher) => `say(${JSON.stringify(message)});`;
