/** Page mode (Epson TM-T88III and TM-T88VI command manuals). FF and CAN, which are no more than a byte, stand in the interpreter. */
import type { Direction } from '../state/modes.ts';
import { atLineStart, type CommandEntry, digit, down, ESC, GS, type Mechanism, s16, u16 } from './command.ts';

const DIRECTIONS: readonly Direction[] = [0, 1, 2, 3];

/** ESC W xL xH yL yH dxL dxH dyL dyH: units of motion across and down the paper, whatever the direction is. */
const areaOf = ({ modes }: Mechanism, head: Uint8Array) => {
  const at = (index: number, unit: number): number => Math.round(u16(head, index) * unit);
  const [x, y] = [at(2, modes.unitX), at(4, modes.unitY)];
  return { x, y, width: at(6, modes.unitX), height: at(8, modes.unitY) };
};

export const page: readonly CommandEntry[] = [
  [
    ESC,
    'L',
    {
      size: 2,
      run: (on) => {
        if (!atLineStart(on)) return;
        on.modes.page = true;
        on.modes.direction = 0;
        on.paper?.beginPage();
      },
    },
  ],
  [ESC, 'S', { size: 2, run: (on) => on.endPage(false) }],
  [
    ESC,
    '\f',
    {
      size: 2,
      run: (on) => {
        if (on.modes.page) on.paper?.printPage(true);
      },
    },
  ],
  [
    ESC,
    'T',
    {
      size: 3,
      run: (on, head) => {
        const direction = DIRECTIONS[digit(head[2]!)];
        if (direction === undefined || !on.modes.page) return;
        on.modes.direction = direction;
        on.paper?.turnPage(direction);
      },
    },
  ],
  [
    ESC,
    'W',
    {
      size: 10,
      run: (on, head) => {
        const area = areaOf(on, head);
        if (on.modes.page && area.width > 0 && area.height > 0) on.paper?.selectArea(area);
      },
    },
  ],
  [
    GS,
    '$',
    {
      size: 4,
      run: (on, head) => {
        if (on.modes.page) on.paper?.movePageTo(down(on, u16(head, 2)));
      },
    },
  ],
  [
    GS,
    '\\',
    {
      size: 4,
      run: (on, head) => {
        if (on.modes.page) on.paper?.movePageBy(down(on, s16(head, 2)));
      },
    },
  ],
];
