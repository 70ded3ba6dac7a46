/**
 * First start among real radios, LAB_RUNS times in a row, and with a supplicant that comes late, hangs or dies. Long:
 * `npm run lab` has it, `npm test` has not.
 */
import { healSuite } from './guest/heal.ts';
import { onMachine } from './on-machine.ts';
import { WIRELESS_PACKAGES } from './packages.ts';

const RUNS = Number(process.env['LAB_RUNS'] ?? 3);

onMachine({
  title: 'among real radios',
  program: 'heal-main.ts',
  suites: { 'a first start': healSuite },
  env: { LAB_RUNS: String(RUNS) },
  timeoutMs: 1_800_000 + RUNS * 150_000,
  packages: WIRELESS_PACKAGES,
});
