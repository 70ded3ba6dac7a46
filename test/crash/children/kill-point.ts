/**
 * Loaded before a program (`--import`): ends it with SIGKILL at the K-th of its file operations that change something.
 * A write is torn: half of its bytes go out before the end.
 * KILL_AT: `<role> <K>`, the role being `image` or `launcher`; KILLED: a file that is written before the kill, and without
 * which no second one is made; ARMED: a file, where it is named, before which no operation counts.
 */
import { existsSync, fsyncSync, writeFileSync, writeSync } from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const [role, at] = (process.env['KILL_AT'] ?? '').split(' ');
const killed = process.env['KILLED'] ?? '';
const armed = process.env['ARMED'];
const own = process.env['TILLNODE_BOOT'] === undefined ? 'launcher' : 'image';
let left = role === own ? Number(at) : 0;

/** True when this operation is the last. */
function last(what: string): boolean {
  if (left === 0 || existsSync(killed) || (armed !== undefined && !existsSync(armed))) return false;
  left -= 1;
  if (left > 0) return false;
  writeFileSync(killed, what);
  return true;
}

const end = () => process.kill(process.pid, 'SIGKILL');

for (const name of ['rename', 'unlink', 'link', 'rm'] as const) {
  const original = fs[name] as (...args: unknown[]) => Promise<void>;
  Object.assign(fs, {
    [name]: (...args: unknown[]) => {
      if (last(name)) end();
      return original(...args);
    },
  });
}

const { open } = fs;
let wrapped = false;
fs.open = async (path, flags, mode) => {
  if (flags !== 'r' && last(`open ${String(path)}`)) end();
  const file = await open(path, flags, mode);
  if (!wrapped) wrap(Object.getPrototypeOf(file) as FileHandle);
  wrapped = true;
  return file;
};
syncBuiltinESMExports();

function wrap(prototype: FileHandle): void {
  const { write, sync } = prototype;
  Object.assign(prototype, {
    write(this: FileHandle, bytes: Uint8Array, ...rest: unknown[]) {
      if (last('write')) {
        writeSync(this.fd, bytes, 0, bytes.length >> 1);
        end();
      }
      return (write as (...args: unknown[]) => Promise<unknown>).call(this, bytes, ...rest);
    },
    sync(this: FileHandle) {
      if (last('sync')) {
        fsyncSync(this.fd);
        end();
      }
      return sync.call(this);
    },
  });
}
