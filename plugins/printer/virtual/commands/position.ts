/** Where things are printed: margins, tabs, feeds, cuts (Epson TM-T88III and TM-T20III command manuals). */
import { LINE_SPACING } from '../state/modes.ts';
import {
  along,
  atLineStart,
  type CommandEntry,
  digit,
  down,
  ESC,
  GS,
  type Mechanism,
  mode,
  s16,
  u16,
} from './command.ts';

const ALIGN = ['left', 'center', 'right'] as const;
/** Dots of an inch: 203 dpi, eight dots a millimetre. */
const DPI = 203;

const cut = (on: Mechanism, partial: boolean, feed: number): void => {
  on.flushLine();
  on.paper?.feed(feed);
  on.paper?.cut(partial);
};

export const position: readonly CommandEntry[] = [
  [ESC, '$', { size: 4, run: (on, head) => on.paper?.moveTo(along(on, u16(head, 2))) }],
  [ESC, '\\', { size: 4, run: (on, head) => on.paper?.moveBy(along(on, s16(head, 2))) }],
  // Up to 32 rising columns, ended by NUL or by a column that does not rise, which is none of the command's.
  [
    ESC,
    'D',
    {
      size: (head) => {
        for (let at = 2; at < 35; at += 1) {
          if (head[at] === undefined || head[at] === 0) return at + 1;
          if (at > 2 && head[at]! <= head[at - 1]!) return at;
        }
        return 34;
      },
      run: (on, head) => {
        on.modes.tabs = [...head.subarray(2)].filter((column) => column > 0);
      },
    },
  ],
  [
    ESC,
    'a',
    mode((modes, n, on) => {
      if (atLineStart(on)) modes.align = ALIGN[digit(n)] ?? modes.align;
    }),
  ],
  [
    GS,
    'L',
    {
      size: 4,
      run: (on, head) => {
        if (atLineStart(on)) on.modes.leftMargin = along(on, u16(head, 2));
      },
    },
  ],
  [
    GS,
    'W',
    {
      size: 4,
      run: (on, head) => {
        if (atLineStart(on)) on.modes.printWidth = along(on, u16(head, 2));
      },
    },
  ],
  // What was set in units before stays as it is.
  [
    GS,
    'P',
    {
      size: 4,
      run: ({ modes }, head) => {
        modes.unitX = head[2] === 0 ? 1 : DPI / head[2]!;
        modes.unitY = head[3] === 0 ? 1 : DPI / head[3]!;
      },
    },
  ],
  [
    GS,
    'T',
    mode((_modes, n, on) => {
      if (digit(n) === 0) on.discardLine();
      else if (digit(n) === 1) on.flushLine();
    }),
  ],
  [
    ESC,
    '2',
    {
      size: 2,
      run: ({ modes }) => {
        modes.lineSpacing = LINE_SPACING;
      },
    },
  ],
  [
    ESC,
    '3',
    mode((modes, n, on) => {
      modes.lineSpacing = down(on, n);
    }),
  ],
  [
    ESC,
    'd',
    {
      size: 3,
      run: (on, head) => {
        const lines = head[2]! - (on.flushLine() ? 1 : 0);
        if (lines > 0) on.paper?.feed(lines * on.modes.lineSpacing, lines);
      },
    },
  ],
  [
    ESC,
    'J',
    {
      size: 3,
      run: (on, head) => {
        on.flushLine();
        on.paper?.feed(down(on, head[2]!));
      },
    },
  ],
  [ESC, 'im', { size: 2, run: (on) => cut(on, true, 0) }],
  [
    GS,
    'V',
    {
      size: (head) => (head.length > 2 && 'ABabgh'.includes(String.fromCharCode(head[2]!)) ? 4 : 3),
      run: (on, head) => {
        if (head.length === 4) cut(on, head[2]! % 2 === 0, down(on, head[3]!));
        else if (digit(head[2]!) <= 1) cut(on, digit(head[2]!) === 1, 0);
        else return false;
        return true;
      },
    },
  ],
];
