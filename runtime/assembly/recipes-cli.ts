/** `npm run recipes`: the recipe commands (runtime/recipes/cli.ts) with the codecs of the rooms in this tree, or of one outside it. */
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Output } from '../base/output.ts';
import { Refused } from '../base/refused.ts';
import { messageOf } from '../base/thrown.ts';
import type { CertifyingRoom } from '../recipes/accept.ts';
import { main } from '../recipes/cli.ts';
import type { Room } from './rooms/rooms.ts';
import { toursIn } from './rooms/tours-module.ts';
import { codecsOf, treeRooms } from './variant/room-codecs.ts';

/** Commands with `--with ROOM`. */
const TAKE_A_ROOM: readonly string[] = ['explain', 'draft', 'accept'];

/** Runs one command in the tree at the working directory; resolves with the exit code. */
export async function run(args: readonly string[], output: Output): Promise<number> {
  const [command, room, ...rest] = args;
  const at = args.indexOf('--with');
  const own = treeRooms(process.cwd());
  try {
    if (at > 0 && TAKE_A_ROOM.includes(command ?? '') && at === args.length - 2) {
      const { outside, rows } = roomAt(args[at + 1] ?? '');
      const rooms = command === 'accept' ? await certifying(own, outside) : new Map();
      return main(args.slice(0, at), output, { codecs: await codecsOf([...own, outside]), also: rows, rooms });
    }
    if (command === 'accept') return main(args, output, { codecs: await codecsOf(own), rooms: await certifying(own) });
    if (command !== 'check' || room === undefined || rest.length > 0)
      return main(args, output, { codecs: await codecsOf(own) });
    const { outside, rows } = roomAt(room);
    return main(['check'], output, { codecs: await codecsOf([outside]), directory: rows });
  } catch (error) {
    output.err(`${messageOf(error)}\n`);
    return 1;
  }
}

/** How the rooms certify their devices, by kind; where there is one from outside, all recordings go there. */
export async function certifying(own: readonly Room[], outside?: Room): Promise<ReadonlyMap<string, CertifyingRoom>> {
  const rooms = outside === undefined ? own : [...own, outside];
  const tours = await toursIn(rooms.map(({ directory }) => directory));
  const places = rooms.flatMap(({ name, directory }) => {
    const { kind, sends = [] } = tours.get(directory) ?? {};
    if (kind === undefined) return [];
    const place =
      outside === undefined
        ? { recordings: `test/plugins/${name}/recordings`, play: 'npx vitest run --project unit test/certify' }
        : { recordings: 'recordings', play: 'in a test of the room, by `play` of tillnode/conformance' };
    return [[kind, { sends, ...place }] as const];
  });
  return new Map(places);
}

/** A room from outside, and the folder of its rows. Throws `Refused` where one of them is not there. */
function roomAt(folder: string): { readonly outside: Room; readonly rows: string } {
  if (!existsSync(join(folder, 'index.ts'))) throw new Refused(`${folder}: index.ts is missing`);
  const rows = join(folder, 'recipes');
  if (!existsSync(rows)) throw new Refused(`${rows}: there is no such folder`);
  return { outside: { name: folder, directory: realpathSync(folder) }, rows };
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = await run(process.argv.slice(2), {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
  });
}
