/** What keeps an image that is compiled ahead from this machine: it finds no devices, no programs, and no network but loopback. */
import { resolve, sep } from 'node:path';

type Work = (...all: unknown[]) => unknown;

/** No file system has it, and none can make it. */
const NOWHERE = '/proc/nowhere';

/**
 * From now on, what Node brings gives who asks for it by `process.getBuiltinModule` no files but those in these folders, starts no
 * programs, sends no datagrams and no requests of node:http and node:https, and knows no network interfaces. Of a function with two
 * paths the first is looked at. For a process that ends soon: nothing takes it back.
 */
export function seal(folders: readonly string[]): void {
  const isWithin = (path: string) => folders.some((folder) => `${resolve(path)}${sep}`.startsWith(folder + sep));
  const kept = (first: unknown) => (typeof first === 'string' && !isWithin(first) ? NOWHERE : first);
  for (const name of ['node:fs', 'node:fs/promises'])
    replace(
      name,
      (work) =>
        (first, ...rest) =>
          work(kept(first), ...rest),
    );
  replace(
    'node:child_process',
    (work) =>
      (_, ...rest) =>
        work(NOWHERE, ...rest),
  );
  const refuse = () => () => {
    throw new Error('no network is here');
  };
  replace('node:dgram', refuse);
  for (const name of ['node:http', 'node:https']) replace(name, refuse, /^(request|get)$/);
  replace('node:os', () => () => ({}), /^networkInterfaces$/);
}

/** Replaces functions of a module; what begins with a capital is a class. */
function replace(name: string, by: (work: Work) => Work, which = /^[a-z]/): void {
  const module = process.getBuiltinModule(name) as unknown as Record<string, unknown>;
  for (const [key, work] of Object.entries(module))
    if (typeof work === 'function' && which.test(key)) module[key] = by(work as Work);
}
