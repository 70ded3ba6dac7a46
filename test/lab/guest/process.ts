/** What another process holds, as /proc tells (proc(5)). */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface Holdings {
  /** Open files by what they are, sockets of clients left out. */
  readonly files: Readonly<Record<string, number>>;
  /** Directories and files that inotify watches. */
  readonly watches: number;
  readonly listening: number;
  readonly residentBytes: number;
}

const LISTENING = '0A';

export function holdingsOf(pid: number): Holdings {
  const root = `/proc/${pid}`;
  const files: Record<string, number> = {};
  let watches = 0;
  for (const fd of readdirSync(`${root}/fd`)) {
    const target = linkOf(`${root}/fd/${fd}`);
    if (target === undefined) continue;
    const socket = /^socket:\[(\d+)\]$/.exec(target)?.[1];
    const name = socket ? socketKind(root, socket) : target.replace(/:\[\d+\]$|\/\d{3}\/\d{3}$/, '');
    if (name === undefined) continue;
    files[name] = (files[name] ?? 0) + 1;
    if (name === 'anon_inode:inotify') watches += readText(`${root}/fdinfo/${fd}`).split('inotify wd:').length - 1;
  }
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(readText(`${root}/status`))?.[1];
  return { files, watches, listening: files['tcp listening'] ?? 0, residentBytes: Number(resident) * 1024 };
}

/** Undefined for a connection to a client, open or closing: they come and go. */
function socketKind(root: string, inode: string): string | undefined {
  for (const family of ['tcp', 'tcp6']) {
    for (const line of readText(`${root}/net/${family}`).split('\n')) {
      const columns = line.trim().split(/\s+/);
      if (columns[9] === inode) return columns[3] === LISTENING ? 'tcp listening' : undefined;
    }
  }
  return readText(`${root}/net/unix`).includes(` ${inode}`) || readText(`${root}/net/netlink`).includes(` ${inode}`)
    ? 'socket'
    : undefined;
}

/** Undefined for one that was closed meanwhile. */
function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

const readText = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};
