/**
 * Real USB without hardware: Debian's stock kernel in an emulator on this machine, with devices that the kernel
 * makes. What runs in there is in `guest/`; one boot serves all of it, and each case is a test here.
 */
import { join } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { bindingSuite } from './guest/binding.ts';
import { buttonSuite } from './guest/buttons.ts';
import { counterSuite } from './guest/counter.ts';
import { nodeSuite } from './guest/node.ts';
import type { CaseReport, It } from './guest/suite.ts';
import { CACHE, prepareMachine } from './machine.ts';
import { bootMachine } from './vm.ts';

const BOOT_MS = 280_000;
const machine = prepareMachine();
const missing = 'missing' in machine ? machine.missing : undefined;

describe.skipIf(missing !== undefined)(missing ? `the lab ${missing}` : 'on a real kernel', () => {
  const reports = new Map<string, CaseReport>();
  let trouble: Error | undefined;

  beforeAll(async () => {
    if ('missing' in machine) return;
    const program = join(CACHE, 'guest.mjs');
    const entryPoints = ['test/lab/guest/main.ts'];
    await build({ entryPoints, outfile: program, bundle: true, platform: 'node', format: 'esm', external: ['usb'] });
    const onReport = (report: unknown) => reports.set((report as CaseReport).promise, report as CaseReport);
    await bootMachine(machine, { program, timeoutMs: BOOT_MS, onReport }).catch((error: Error) => {
      trouble = error;
    });
  });

  const asTests = (suite: (it: It) => void) =>
    suite((promise) => {
      it(promise, () => {
        const report = reports.get(promise);
        if (!report) throw trouble ?? new Error('the machine powered off without a word of this');
        expect(report.error).toBeUndefined();
      });
    });

  describe('the native USB binding', () => asTests(bindingSuite));
  describe('the wifi image', () => asTests(nodeSuite));
  describe('scanners and scales', () => asTests(counterSuite));
  describe('the button of a board', () => asTests(buttonSuite));
});
