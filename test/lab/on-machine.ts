/** One boot of the lab's machine, and a test here for each case that runs in there. */
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, describe } from 'vitest';
import { makeDisk, plainDisk } from './disk.ts';
import type { It } from './guest/suite.ts';
import { CACHE, prepareMachine } from './machine.ts';
import { unpackPackages } from './packages.ts';
import { Reports } from './reports.ts';
import { bootMachine } from './vm.ts';

export interface MachineSuites {
  readonly title: string;
  /** Program of `guest/` that runs the same suites in the machine. */
  readonly program: string;
  /** Others of `guest/` that it starts. */
  readonly programs?: readonly string[];
  readonly suites: Readonly<Record<string, (it: It) => void>>;
  readonly timeoutMs?: number;
  /** Environment of the program. */
  readonly env?: Readonly<Record<string, string>>;
  /** Debian packages that the machine has beside what the host has. */
  readonly packages?: readonly string[];
  /** Size of a new ext4 file system on /dev/vda. */
  readonly diskMegabytes?: number;
}

/** By the clock of the host: a machine that is still at it by then has hung. */
const BOOT_MS = 1_200_000;
/** Packages in CommonJS call it inside a bundle of ES modules. */
const REQUIRE =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

/** Bundles programs of `guest/`; returns where they are. */
export async function bundlePrograms(names: readonly string[]): Promise<string[]> {
  await build({
    entryPoints: names.map((name) => `test/lab/guest/${name}`),
    outdir: CACHE,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    // The one has an addon beside it, the other one a file.
    external: ['usb', 'harfbuzzjs'],
    banner: { js: REQUIRE },
  });
  return names.map((name) => join(CACHE, name.replace('.ts', '.mjs')));
}

export function onMachine({ title, program, programs = [], suites, ...machinery }: MachineSuites): void {
  const { timeoutMs = BOOT_MS, env = {}, packages, diskMegabytes } = machinery;
  const machine = prepareMachine();
  const missing = 'missing' in machine ? machine.missing : undefined;

  describe.skipIf(missing !== undefined)(missing ? `the lab ${missing}` : title, () => {
    const reports = new Reports();

    beforeAll(async () => {
      if ('missing' in machine) return;
      const [outfile = ''] = await bundlePrograms([program, ...programs]);
      const layer = packages && { packages: unpackPackages(packages) };
      const name = basename(program, '.ts');
      const disk = diskMegabytes === undefined ? {} : { disk: plainDisk(makeDisk(name, { megabytes: diskMegabytes })) };
      const boot = { name, program: outfile, timeoutMs, env, onReport: reports.take, ...layer, ...disk };
      await bootMachine(machine, boot).catch(reports.machineFailed);
    }, timeoutMs + 60_000);

    for (const [name, suite] of Object.entries(suites)) describe(name, () => suite(reports.it));
  });
}
