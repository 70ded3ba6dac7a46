/**
 * The bundle of an image as V8 has compiled it ahead: `node.cache` beside `node.cjs`. It holds the functions that a start and
 * a first receipt need, so that the Node that made it neither parses nor compiles them again.
 *
 * V8 trusts what it is given, so the file stands where only those who may also change the bundle can write, and in no image
 * file. It is used for one bundle, by one version of Node on one architecture: its last four bytes are the CRC-32 of all that
 * and of itself, as of RFC 1952. V8 looks at its own version and flags besides. One that does not fit is as good as none.
 */
import { closeSync, openSync, readFileSync, readSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, Script } from 'node:vm';
import { crc32 } from 'node:zlib';

/** What is started of an image. One of before has `main.js` alone, an ES module, which every image has for the launchers of then. */
export const MAIN = 'main.cjs';
/** The bundle: a script whose value is a function, to be called with `require`. */
export const BUNDLE = 'node.cjs';
/** What it compiles to, on one machine. */
export const COMPILED = 'node.cache';
const CRC_BYTES = 4;

/** A bundle that is ready to run. */
export interface Compiled {
  readonly script: Script;
  /** Whether it was compiled ahead. */
  readonly isAhead: boolean;
}

/**
 * The bundle in this folder. What is wrong with the file beside it costs time, and nothing else. `filename`: what stack traces
 * call it.
 */
export function compiledIn(folder: string, filename = join(folder, BUNDLE)): Compiled {
  const paths = { bundle: join(folder, BUNDLE), ahead: join(folder, COMPILED) };
  const read = readerOf(Object.values(paths));
  const bundle = read(paths.bundle);
  const crc = crcOf(bundle);
  // The build writes no other characters than those of ASCII.
  const source = bundle.toString('latin1');
  const cachedData = aheadOf(() => read(paths.ahead), crc);
  const script = new Script(source, {
    filename,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(cachedData && { cachedData }),
  });
  return { script, isAhead: script.cachedDataRejected === false };
}

/** Writes what this bundle has compiled so far beside it. Only while the flags of V8 are as a start finds them. */
export function writeCompiled(folder: string, script: Script): void {
  const data = script.createCachedData();
  const crc = Buffer.alloc(CRC_BYTES);
  crc.writeUInt32LE(crc32(data, crcOf(readFileSync(join(folder, BUNDLE)))));
  writeFileSync(join(folder, COMPILED), Buffer.concat([data, crc]));
}

/** What was compiled ahead of the bundle that has this CRC; undefined if it cannot be read, or does not fit. */
function aheadOf(read: () => Buffer, crc: number): Buffer | undefined {
  try {
    const file = read();
    const data = file.subarray(0, -CRC_BYTES);
    return file.readUInt32LE(data.length) === crc32(data, crc) ? data : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads these files, each into the place of the one before: memory that is new takes the system longer than what it reads into
 * it.
 */
function readerOf(paths: readonly string[]): (path: string) => Buffer {
  const sizes = paths.map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  const memory = Buffer.allocUnsafeSlow(Math.max(...sizes));
  return (path) => {
    const file = openSync(path, 'r');
    try {
      let length = 0;
      for (let count = -1; count !== 0; length += count)
        count = readSync(file, memory, length, memory.length - length, null);
      return memory.subarray(0, length);
    } finally {
      closeSync(file);
    }
  };
}

const crcOf = (bundle: Buffer): number => crc32(bundle, crc32(`${process.version} ${process.arch}`));
