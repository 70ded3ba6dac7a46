/** Updates on a disk, in a machine: what comes up, and the ways back. Long: `npm run lab` has it, `npm test` has not. */
import { updateSuite } from './guest/update.ts';
import { onMachine } from './on-machine.ts';

onMachine({
  title: 'on an ext4 disk',
  program: 'update-main.ts',
  suites: { 'the launcher and its images': updateSuite },
  timeoutMs: 2_400_000,
  diskMegabytes: 64,
});
