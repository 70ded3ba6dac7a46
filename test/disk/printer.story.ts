/**
 * The printer of a disk that starts and goes on: the line of `tillnode.txt` at each start, the node that is started anew
 * alone, and a USB bus that hangs. Printer and controller are the kernel's (counter.ts).
 */
import { rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needRoot, needTools } from '../tools.ts';
import { addCounter, COUNTER_TOOLS, Counter, counterLines } from './counter.ts';
import { onBoot } from './entry.ts';
import { IMAGE_TOOLS, MACHINE_TOOLS, Medium, madeImage, Running } from './machine.ts';

const VARIANT = 'wifi';
/** By the clock of this computer. */
const BOOT_MS = 900_000;
const BUILD_MS = 1_200_000;
const GREETING = 'Good morning';
/** What is asked meanwhile is asked the new one. */
const RESTART = 'systemctl stop tillnode.service; systemctl --no-block start tillnode.service';

/** The printer of the kernel keeps 40 KiB; of what follows, the transfer stays (for ten seconds: `usb.writeTimeoutMs`). */
const HELD_BYTES = 32 * 1024;

interface Status {
  readonly raw: { readonly bytes: number };
}

const missing = needRoot() ?? needTools([...IMAGE_TOOLS, ...MACHINE_TOOLS, ...COUNTER_TOOLS]);

/** Prints on the machine itself, again until it is answered that it was done; says how long that took from its own start on. */
const printing = (text: string, before = ''): string => `
  seconds() { busybox cut -d ' ' -f 1 /proc/uptime; }
  from=$(seconds)
  ${before}
  until busybox wget -q -O /dev/null --header 'Content-Type: application/json' \\
    --post-data '{"type":"print","id":"${text}","endpoint":"receipt","lines":[{"type":"text","value":"${text}"}]}' \\
    http://127.0.0.1/print 2> /dev/null; do busybox usleep 20000; done
  busybox awk "BEGIN { print $(seconds) - $from }"
`;

describe.skipIf(missing !== undefined)(missing ?? 'the printer of a disk', () => {
  let running: Running;
  let counter: Counter;
  let medium: Medium;
  const start = async () => {
    running = await Running.powerOn(medium, { more: counterLines(medium) });
    counter = await Counter.of(medium);
  };
  const end = async () => {
    counter?.close();
    await running?.cut();
  };
  const greetings = async (wanted: number) => {
    const countOf = (paper: string) => paper.split(GREETING).length - 1;
    return countOf(await counter.paper((paper) => countOf(paper) >= wanted, BOOT_MS));
  };
  /** Asks until it prints; resolves with the seconds from the beginning of `before`, by the machine's clock. */
  const prints = async (text: string, before?: string) => {
    const seconds = Number(await counter.run(printing(text, before)));
    await counter.paper((paper) => paper.includes(text), BOOT_MS);
    process.stdout.write(`${text}: ${seconds} s\n`);
    return seconds;
  };
  const pidOfNode = () => counter.run('systemctl show -P MainPID tillnode.service');

  beforeAll(async () => {
    medium = new Medium('printer', madeImage(VARIANT));
    addCounter(medium);
    const prepared = `${medium.path}.txt`;
    writeFileSync(prepared, `start.print = ${GREETING}\n`);
    onBoot(medium, 'mcopy', prepared, '::tillnode.txt');
    rmSync(prepared);
    await start();
  }, BOOT_MS + BUILD_MS);
  afterAll(end);

  it(
    'has the line of tillnode.txt on paper at its first start, and once more at the next',
    async () => {
      expect(await greetings(1)).toBe(1);
      await prints('Behind the first');
      await end();
      await start();
      expect(await greetings(2)).toBe(2);
    },
    2 * BOOT_MS,
  );

  it(
    'prints again when the node alone was started anew, and the line does not come out again',
    async () => {
      await prints('Before it');
      await prints('With a new node', RESTART);
      expect(await greetings(2)).toBe(2);
    },
    BOOT_MS,
  );

  it(
    'prints again when the node was started anew while a transfer to its printer hung',
    async () => {
      // A printer that takes no more: what the kernel keeps for it fills up, and the next transfer stays.
      await counter.run('busybox killall -STOP cat');
      await counter.run(
        '(busybox head -c 1000000 /dev/zero | busybox tr "\\0" x | busybox nc 127.0.0.1 9100) > /dev/null 2>&1 < /dev/null &',
      );
      await running.statusUntil<Status>(({ raw }) => raw.bytes >= HELD_BYTES, BOOT_MS);
      await prints('Behind one that hung', `${RESTART}; busybox killall -CONT cat`);
    },
    BOOT_MS,
  );

  it(
    'prints again, by the same node, when its USB controller was gone and came back',
    async () => {
      const node = await pidOfNode();
      const driver = '/sys/bus/platform/drivers/dummy_hcd';
      await counter.run(`echo dummy_hcd.0 > ${driver}/unbind`);
      // The printer of the kernel is not told that it was unplugged, and reads no more until it is opened anew.
      await prints('By the same controller', `echo dummy_hcd.0 > ${driver}/bind; busybox killall cat`);
      expect(await pidOfNode()).toBe(node);
    },
    BOOT_MS,
  );
});
