/** A Debian with systemd on a disk of its own, started once or more, and a test here for each case that runs in there. */
import { basename, resolve } from 'node:path';
import { plainDisk } from './disk.ts';
import type { Machine } from './machine.ts';
import { bundlePrograms } from './on-machine.ts';
import type { Reports } from './reports.ts';
import { makeSystem } from './system.ts';
import { bootDisk } from './vm.ts';

export const STORY_MS = 3_600_000;

export interface SystemStory {
  /** Program of `guest/` that runs at each start. */
  readonly program: string;
  /** The Node that runs it: of the package. */
  readonly node: string;
  /** Program that makes the radios of the machine. */
  readonly radios?: string;
  /** Program that asks by mDNS; its path is LAB_ASK_MDNS of the first. */
  readonly asks?: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Starts the system so many times, one after the other has ended. */
export async function bootSystem(machine: Machine, story: SystemStory, reports: Reports, times: number): Promise<void> {
  const { program, node, radios, asks, env } = story;
  const bundle = async (name: string | undefined) =>
    name === undefined ? undefined : (await bundlePrograms([name]))[0];
  const [path = '', radiosPath, asksPath] = [await bundle(program), await bundle(radios), await bundle(asks)];
  const name = basename(program, '.ts');
  const disk = plainDisk(
    makeSystem(name, {
      node,
      program: path,
      env: { ...env, ...(asksPath && { LAB_ASK_MDNS: `/host${resolve(asksPath)}` }) },
      ...(radiosPath && { radios: radiosPath }),
    }),
  );
  for (let boot = 0; boot < times && reports.trouble === undefined; boot += 1) {
    await bootDisk(machine, { name, timeoutMs: STORY_MS, disk, onReport: reports.take }).catch(reports.machineFailed);
  }
}
