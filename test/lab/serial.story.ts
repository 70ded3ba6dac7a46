/**
 * Scales on serial lines behind adapters that the kernel and its drivers take for real ones, an FTDI and a CDC-ACM: five
 * protocols with ten faults each. `npm run lab` has it, `npm test` has not.
 */
import { SEATS, serialSuite } from './guest/serial.ts';
import { onMachine } from './on-machine.ts';

onMachine({
  title: 'serial lines',
  program: 'serial-main.ts',
  suites: Object.fromEntries(Object.keys(SEATS).map((title) => [title, serialSuite(title)])),
  // Two pipes wait in the kernel for their host, each in a thread.
  env: { UV_THREADPOOL_SIZE: '8' },
});
