/** How characters look: Epson TM-T88III specification, and the TM-T88VI command manual. */
import type { OwnCharacters, StoredGraphics } from '../state/memory.ts';
import { columnsToRows } from './columns.ts';
import {
  along,
  atLineStart,
  type CommandEntry,
  digit,
  ESC,
  FS,
  GS,
  type Mechanism,
  mode,
  type VirtualCommand,
} from './command.ts';

/** Dots across of an own character of Font A and Font B (TM-T88III manual, ESC &). */
const WIDEST = { a: 12, b: 9 } as const;

const withCharacters = (own: OwnCharacters, more: Iterable<readonly [number, StoredGraphics]>): OwnCharacters =>
  new Map([...own, ...more]);

/** One character of ESC &: x, then x columns of y bytes. Its code is counted by the series. */
const ownCharacter = (y: number, first: number, count: number): VirtualCommand => ({
  size: 1,
  payload: (head) => head[0]! * y,
  run: (on, _head, payload) => {
    const { font, own } = on.modes;
    const code = first + count - 1 - on.seriesLeft;
    const width = WIDEST[font];
    const columns = new Uint8Array(width * y);
    columns.set(payload.subarray(0, columns.length));
    const character = { width, height: y * 8, scaleX: 1, scaleY: 1, rows: columnsToRows(columns, width, y * 8) };
    on.modes.own = { ...own, [font]: withCharacters(own[font], [[code, character]]) };
  },
});

/** FS 2: a character of 24 by 24 dots, in columns (TM-T88III manual: k is 72). */
const WIDE_BYTES = 72;

const forget = (own: OwnCharacters, code: number): OwnCharacters => new Map([...own].filter(([each]) => each !== code));
const scale = (on: Mechanism, width: number, height: number): void => {
  Object.assign(on.modes, { width, height, twoByteWidth: width, twoByteHeight: height });
};

export const characters: readonly CommandEntry[] = [
  [
    ESC,
    '!',
    mode((modes, n, on) => {
      modes.font = n & 0x01 ? 'b' : 'a';
      modes.bold = (n & 0x08) !== 0;
      scale(on, n & 0x20 ? 2 : 1, n & 0x10 ? 2 : 1);
      modes.underline = (n & 0x80) !== 0;
    }),
  ],
  [
    ESC,
    'EG',
    mode((modes, n) => {
      modes.bold = (n & 1) === 1;
    }),
  ],
  [
    ESC,
    '-',
    mode((modes, n) => {
      if (digit(n) <= 2) modes.underline = digit(n) > 0;
    }),
  ],
  [
    ESC,
    'M',
    mode((modes, n) => {
      if (digit(n) <= 4) modes.font = digit(n) === 0 ? 'a' : 'b';
    }),
  ],
  [
    ESC,
    't',
    mode((modes, n) => {
      modes.codePage = n;
    }),
  ],
  [
    ESC,
    'R',
    mode((modes, n) => {
      if (n <= 15) modes.national = n;
    }),
  ],
  [
    ESC,
    ' ',
    mode((modes, n, on) => {
      modes.characterSpacing = along(on, n);
    }),
  ],
  [
    ESC,
    'V',
    mode((modes, n) => {
      if (digit(n) <= 2) modes.turned = digit(n) > 0;
    }),
  ],
  [
    ESC,
    '{',
    mode((modes, n, on) => {
      if (atLineStart(on)) modes.upsideDown = (n & 1) === 1;
    }),
  ],
  [
    GS,
    'B',
    mode((modes, n) => {
      modes.invert = (n & 1) === 1;
    }),
  ],
  [
    GS,
    'b',
    mode((modes, n) => {
      modes.smooth = (n & 1) === 1;
    }),
  ],
  [
    GS,
    '!',
    mode((_modes, n, on) => {
      if ((n & 0x88) !== 0 || Math.max(n >> 4, n & 7) >= on.maxSize) return false;
      scale(on, (n >> 4) + 1, (n & 7) + 1);
      return undefined;
    }),
  ],

  // Own characters.
  [
    ESC,
    '%',
    mode((modes, n) => {
      modes.ownSelected = (n & 1) === 1;
    }),
  ],
  [
    ESC,
    '?',
    mode((modes, n) => {
      modes.own = { ...modes.own, [modes.font]: forget(modes.own[modes.font], n) };
    }),
  ],
  [
    ESC,
    '&',
    {
      size: 5,
      series: (head) => {
        const [, , y = 0, first = 0, last = 0] = head;
        const valid = y >= 1 && y <= 4 && first >= 0x20 && first <= last;
        const count = valid ? last - first + 1 : 0;
        return { command: ownCharacter(y, first, count), left: count };
      },
    },
  ],

  // Characters of two bytes.
  [
    FS,
    '&',
    {
      size: 2,
      run: ({ modes }) => {
        modes.twoByte = true;
      },
    },
  ],
  [
    FS,
    '.',
    {
      size: 2,
      run: ({ modes }) => {
        modes.twoByte = false;
      },
    },
  ],
  [
    FS,
    'C',
    mode((modes, n) => {
      if (digit(n) <= 1) modes.shiftJis = digit(n) === 1;
    }),
  ],
  [
    FS,
    '-',
    mode((modes, n) => {
      if (digit(n) <= 2) modes.twoByteUnderline = digit(n) > 0;
    }),
  ],
  [
    FS,
    '!',
    mode((modes, n) => {
      modes.twoByteWidth = n & 0x04 ? 2 : 1;
      modes.twoByteHeight = n & 0x08 ? 2 : 1;
      modes.twoByteUnderline = (n & 0x80) !== 0;
    }),
  ],
  [
    FS,
    'W',
    mode((modes, n) => {
      modes.twoByteWidth = n & 1 ? 2 : 1;
      modes.twoByteHeight = n & 1 ? 2 : 1;
    }),
  ],
  [
    FS,
    'S',
    {
      size: 4,
      run: (on, head) => {
        on.modes.twoByteSpacing = along(on, head[2]! + head[3]!);
      },
    },
  ],
  [
    FS,
    '2',
    {
      size: 4,
      payload: () => WIDE_BYTES,
      run: ({ modes }, head, payload) => {
        const character = { width: 24, height: 24, scaleX: 1, scaleY: 1, rows: columnsToRows(payload, 24, 24) };
        modes.ownWide = withCharacters(modes.ownWide, [[(head[2]! << 8) | head[3]!, character]]);
      },
    },
  ],
  [
    FS,
    '?',
    {
      size: 4,
      run: ({ modes }, head) => {
        modes.ownWide = forget(modes.ownWide, (head[2]! << 8) | head[3]!);
      },
    },
  ],
];
