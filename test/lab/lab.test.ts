/**
 * Real USB without hardware: Debian's stock kernel in an emulator on this machine, with devices that the kernel
 * makes. What runs in there is in `guest/`; one boot serves all of it, and each case is a test here.
 */
import { bindingSuite } from './guest/binding.ts';
import { buttonSuite } from './guest/buttons.ts';
import { cameraSuite } from './guest/camera.ts';
import { counterSuite } from './guest/counter.ts';
import { nodeSuite } from './guest/node.ts';
import { onMachine } from './on-machine.ts';

onMachine({
  title: 'on a real kernel',
  program: 'main.ts',
  suites: {
    'the native USB binding': bindingSuite,
    'the wifi image': nodeSuite,
    'scanners and scales': counterSuite,
    'the button of a board': buttonSuite,
    cameras: cameraSuite,
  },
});
