/** The boot entry on a medium. */
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { offsetOf } from '../../runtime/disk/partitions.ts';
import type { Medium } from './machine.ts';

/** Path of the first system's entry on the boot partition. */
const ENTRY = 'loader/entries/tillnode-a.conf';

/** Calls a program of mtools(1) on the boot partition; resolves with what it wrote. The machine must not run. */
export const onBoot = ({ path }: Medium, program: string, ...args: readonly string[]): string =>
  execFileSync(program, ['-i', `${path}@@${offsetOf('esp')}`, ...args], {
    env: { ...process.env, MTOOLS_SKIP_CHECK: '1' },
    encoding: 'utf8',
  });

/** Changes the text of that entry, or another one (systemd-boot: Boot Loader Specification, type 1). */
export function changeEntry(medium: Medium, change: (entry: string) => string, path = ENTRY): void {
  const file = `${medium.path}.entry`;
  writeFileSync(file, change(onBoot(medium, 'mtype', `::${path}`)));
  onBoot(medium, 'mcopy', '-o', file, `::${path}`);
  rmSync(file);
}
