/** A clone as a reader has it, and ports for what is started in it. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';

/** Copies what git has of this tree, under the name that a clone has; installed, not built. Returns its folder. */
export function cloneIn(parent: string): string {
  const directory = join(parent, 'tillnode');
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  for (const file of files.toString().split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    cpSync(file, join(directory, file));
  }
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'));
  return directory;
}

/** Listens on a port of this computer and closes again; rejects where it is taken. 0: any. Returns its number. */
export async function freePort(wanted = 0): Promise<number> {
  const server = createServer().listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
