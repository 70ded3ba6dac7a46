/**
 * The command set of the virtual printer: how long each command is, and what it does. Lengths and rules as in the
 * Epson TM-T88III, TM-T20III and TM-T88VI command manuals. What is only measured changes no dot that this paper has;
 * it is named there.
 */
import { characters } from './characters.ts';
import { type CommandEntry, ESC, FS, GS, u16, type VirtualCommand } from './command.ts';
import { counters } from './counter.ts';
import { graphicsCommand, images } from './image.ts';
import { logos } from './logos.ts';
import { macros } from './macro.ts';
import { memory, recordCommand } from './memory.ts';
import { page } from './page.ts';
import { position } from './position.ts';
import { setupCommand } from './setup.ts';
import { echoCommand, realtimeCommand, status } from './status.ts';
import { symbolCommand, symbols } from './symbol.ts';

/** GS ( fn: what the functions do with their payload. */
const EXTENDED: Readonly<Record<string, NonNullable<VirtualCommand['run']>>> = {
  A: (on) => on.paper?.frame('GS ( A', 'test print', on.modes),
  C: (on, _head, payload) => recordCommand(on, payload),
  D: (on, _head, payload) => realtimeCommand(on, payload),
  E: (on, _head, payload) => setupCommand(on, payload),
  H: (on, _head, payload) => echoCommand(on, payload),
  L: graphicsCommand,
  k: symbolCommand,
};
const extended: VirtualCommand = {
  size: 5,
  payload: (head) => u16(head, 3),
  inSetup: (head) => head[2] === 0x45,
  run: (on, head, payload) => {
    const run = EXTENDED[String.fromCharCode(head[2]!)];
    return run ? run(on, head, payload) : false;
  },
};

/** A command with a payload that is counted, and nothing that is shown. */
const counted: VirtualCommand = { size: 5, payload: (head) => u16(head, 3) };

const MEASURED: readonly CommandEntry[] = [
  [ESC, '<q', { size: 2 }],
  [ESC, 'CFKUer', { size: 3 }],
  [ESC, 'Bcf', { size: 4 }],
  [ESC, '7', { size: 5 }],
  [FS, 'Lbc', { size: 2 }],
  [FS, 'a', { size: (head) => (head[2] === 0x30 ? 4 : 3) }],
  [GS, 'Ej|', { size: 3 }],
  [GS, 'z', { size: 5 }],
  [GS, 'g', { size: (head) => (head.length > 2 && head[2] !== 0x30 && head[2] !== 0x32 ? 3 : 6) }],
  [ESC, '(', counted],
  [FS, '(', counted],
];

const ENTRIES: readonly CommandEntry[] = [
  ...MEASURED,
  ...characters,
  ...position,
  ...page,
  ...images,
  ...logos,
  ...macros,
  ...counters,
  ...memory,
  ...status,
  [ESC, '@', { size: 2, run: (on) => on.initialise() }],
  [
    ESC,
    '=',
    {
      size: 3,
      always: true,
      run: (on, head) => {
        on.modes.selected = (head[2]! & 1) === 1;
      },
    },
  ],
  [GS, '(', extended],
  ...symbols,
];

const table = new Map<number, VirtualCommand>();
for (const [lead, seconds, command] of ENTRIES) {
  for (const second of seconds) table.set((lead << 8) | second.charCodeAt(0), command);
}

/** The command that begins with these two bytes; undefined where there is none. */
export const commandAt = (lead: number, second: number): VirtualCommand | undefined => table.get((lead << 8) | second);
