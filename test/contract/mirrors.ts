/** What the tests of single rooms bring to those of the contract. */
import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';

const MIRRORS = ['test/plugins', 'test/services'];

/** The modules of this name that stand beside the tests of any room. */
export const fromMirrors = async <T>(file: string): Promise<T[]> =>
  Promise.all(
    MIRRORS.flatMap((parent) => readdirSync(parent).map((room) => resolve(parent, room, file)))
      .filter((path) => existsSync(path))
      .map((path): Promise<T> => import(path)),
  );
