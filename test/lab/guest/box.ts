/** The wifi image under its launcher in the machine, with everything that it keeps on the disk. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { call, type Launching, launch } from '../../image/launched.ts';

export const VARIANT = 'wifi';
const DISK = '/mnt/disk';
/** State directory of the node. */
export const STATE = `${DISK}/tillnode`;

export function mountDisk(): void {
  mkdirSync(DISK, { recursive: true });
  execFileSync('mount', ['-t', 'ext4', '/dev/vda', DISK]);
}

export const unmountDisk = () => execFileSync('umount', [DISK]);

export const launchBox = (launching: Omit<Launching, 'variant'> = {}) =>
  launch(STATE, { ...launching, variant: VARIANT });

export interface Identity {
  readonly slot: 'a' | 'b' | 'factory';
  readonly firmwareVersion: string;
}

export async function identity(url: string): Promise<Identity> {
  const status = await call<{ identity?: Identity }>(url, 'GET', '/status');
  if (status.identity === undefined) throw new Error(`no status: ${JSON.stringify(status)}`);
  return status.identity;
}
