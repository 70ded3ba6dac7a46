/** The drawer, and what the printer answers (Epson TM-T88III and TM-T20III command manuals). */
import { type CommandEntry, DLE, digit, ESC, GS, type Mechanism, mode, type VirtualCommand } from './command.ts';

/** GS ( D: which real-time commands are obeyed. */
export const realtimeCommand = ({ modes }: Mechanism, [m, ...pairs]: Uint8Array): unknown => {
  if (m !== 20) return false;
  for (let at = 0; at + 1 < pairs.length; at += 2) {
    const enabled = digit(pairs[at + 1]!) === 1;
    if (digit(pairs[at]!) === 1) modes.realtimePulse = enabled;
    if (digit(pairs[at]!) === 2) modes.realtimePowerOff = enabled;
  }
  return undefined;
};

/** GS ( H function 48: an echo when everything before it is printed. */
export const echoCommand = (on: Mechanism, payload: Uint8Array): unknown => {
  if (payload.length !== 6 || payload[0] !== 0x30) return false;
  on.flushLine();
  on.effects?.printed(payload.subarray(2));
  return undefined;
};

/** Commands that were executed when they arrived; here they take their room, and those that this printer does not have are told. */
const executed = (size: VirtualCommand['size'], has: (n: number, on: Mechanism) => boolean): VirtualCommand => ({
  size,
  run: (on, head) => has(head[2] ?? 0, on),
});

export const status: readonly CommandEntry[] = [
  // Times in units of 2 ms; the off time is never shorter than the on time.
  [
    ESC,
    'p',
    {
      size: 5,
      run: (on, head) => {
        const connector = digit(head[2]!);
        if (connector > 1) return false;
        on.effects?.pulse(connector ? 5 : 2, head[3]! * 2, Math.max(head[3]!, head[4]!) * 2);
        return true;
      },
    },
  ],
  // In the order of printing.
  [GS, 'a', mode((_modes, n, on) => on.effects?.automaticStatus(n))],
  [GS, 'r', mode((_modes, n, on) => on.effects?.queuedStatus(n))],
  [GS, 'I', { size: 3, inSetup: () => true, mode: (_modes, n, on) => on.effects?.printerId(n) }],
  [ESC, 'v', { size: 2, run: (on) => on.effects?.queuedStatus(1) }],
  [ESC, 'u', { size: 3, run: (on) => on.effects?.queuedStatus(2) }],
  [
    DLE,
    '\x04',
    executed(
      (head) => {
        if (head.length < 3) return 3;
        const n = head[2]!;
        return n === 7 || n === 8 || n === 18 ? 4 : n >= 1 && n <= 6 ? 3 : 2;
      },
      (n) => n >= 1 && n <= 4,
    ),
  ],
  [DLE, '\x05', executed(3, () => false)],
  [
    DLE,
    '\x14',
    executed(
      (head) => (head.length < 3 ? 3 : [0, 5, 5, 8, 0, 0, 0, 4, 10][head[2]!] || 2),
      (n, on) => n === 1 || n === 7 || n === 8 || (n === 2 && on.modes.realtimePowerOff),
    ),
  ],
];
