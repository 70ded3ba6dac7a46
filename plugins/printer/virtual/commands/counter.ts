/** The serial number that GS c prints (Epson TM-T88II command manual, GS C 0, 1, 2 and ;). */
import type { Counter } from '../state/modes.ts';
import { type CommandEntry, GS, type Mechanism, u16, type VirtualCommand, withoutFunction } from './command.ts';

const COUNT_MODE = 0x31;

/** GS C ; sa ; sb ; sn ; sr ; sc ;: five numbers in digits. */
const semicolons = (head: Uint8Array): number => {
  let found = 0;
  for (let at = 3; at < 64; at += 1) {
    const byte = head[at];
    if (byte === undefined) return at + 1;
    if (byte === 0x3b) found += 1;
    else if (byte < 0x30 || byte > 0x39) return at;
    if (found === 5) return at + 1;
  }
  return 64;
};

const set = ({ modes }: Mechanism, change: Partial<Counter>): void => {
  modes.counter = { ...modes.counter, ...change };
};

const define: VirtualCommand = {
  size: (head) => {
    if (head.length < 3) return 3;
    if (head[2] === 0x3b) return semicolons(head);
    return head[2] === COUNT_MODE ? 9 : head[2] === 0x30 || head[2] === 0x32 ? 5 : withoutFunction(head);
  },
  run: (on, head) => {
    if (head.length === 9) set(on, { from: u16(head, 3), to: u16(head, 5), step: head[7]!, repeat: head[8]! });
    else if (head[2] === 0x30) set(on, { digits: head[3]!, align: head[4]! & 0x0f });
    else if (head[2] === 0x32) set(on, { value: u16(head, 3), printed: 0 });
    else if (head[2] === 0x3b) {
      const [from = 0, to = 0, step = 0, repeat = 0, value = 0] = String.fromCharCode(...head.subarray(3))
        .split(';')
        .map(Number);
      set(on, { from, to, step, repeat, value, printed: 0 });
    } else return false;
    return true;
  },
};

/** The next value: up where the range rises, down where it falls, from its other end behind the last one. */
const counted = (counter: Counter): Counter => {
  const { from, to, step, repeat, value, printed } = counter;
  if (from === to || step === 0 || repeat === 0) return counter;
  if (printed + 1 < repeat) return { ...counter, printed: printed + 1 };
  const next = value + (from < to ? step : -step);
  const [low, high] = [Math.min(from, to), Math.max(from, to)];
  return { ...counter, printed: 0, value: next < low || next > high ? from : next };
};

export const counters: readonly CommandEntry[] = [
  [GS, 'C', define],
  [
    GS,
    'c',
    {
      size: 2,
      run: (on) => {
        const { digits, align, value } = on.modes.counter;
        const text = String(value);
        const shown = align === 2 ? text.padEnd(digits) : text.padStart(digits, align === 1 ? '0' : ' ');
        on.feed(Buffer.from(shown));
        on.modes.counter = counted(on.modes.counter);
      },
    },
  ],
];
