/**
 * Real USB without hardware: Debian's stock kernel in an emulator on this machine, with devices that the kernel
 * makes. What runs in there is in `guest/`; one boot serves all of it, and each case is a test here.
 */
import { rmSync } from 'node:fs';
import { build } from 'tsup';
import { afterAll, beforeAll } from 'vitest';
import { imageOf, variants } from '../../build.config.ts';
import { bindingSuite } from './guest/binding.ts';
import { buttonSuite } from './guest/buttons.ts';
import { cameraSuite } from './guest/camera.ts';
import { counterSuite } from './guest/counter.ts';
import { nodeSuite } from './guest/node.ts';
import { TWO_PRINTERS, twoPrintersSuite } from './guest/two-printers.ts';
import { onMachine } from './on-machine.ts';

const { wifi } = variants;
const BUILD_MS = 300_000;
/** The wifi image with a second printer endpoint, which no variant of the table has. */
beforeAll(async () => {
  if (wifi === undefined) throw new Error('there is no wifi variant');
  const variant = { ...wifi, endpoints: { printer: ['receipt', 'kitchen'] } };
  await build({ ...imageOf(TWO_PRINTERS, variant), config: false });
}, BUILD_MS);
afterAll(() => rmSync(`dist/${TWO_PRINTERS}`, { recursive: true, force: true }));

onMachine({
  title: 'on a real kernel',
  program: 'main.ts',
  suites: {
    'the native USB binding': bindingSuite,
    'the wifi image': nodeSuite,
    'an image with two printers': twoPrintersSuite,
    'scanners and scales': counterSuite,
    'the button of a board': buttonSuite,
    cameras: cameraSuite,
  },
});
