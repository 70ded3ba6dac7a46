/**
 * Scales on serial lines behind adapters that the kernel and its drivers take for real ones, an FTDI and a CDC-ACM: five
 * protocols with ten faults each. `npm run lab` has it, `npm test` has not.
 */
import { SEATS, serialSuite } from './guest/serial.ts';
import { onMachine } from './on-machine.ts';

// A machine for each: one may take as long as it is given for all that it does.
for (const title of Object.keys(SEATS)) {
  onMachine({
    title: `a serial line behind ${title}`,
    program: 'serial-main.ts',
    suites: { [title]: serialSuite(title) },
    // Two pipes wait in the kernel for their host, each in a thread.
    env: { SEAT: title, UV_THREADPOOL_SIZE: '8' },
  });
}
