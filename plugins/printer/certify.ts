/** How a receipt printer is certified: what it prints is looked at, what it says is awaited. */
import { byteTable, type CodePage, MAKES, type Make } from '../../codecs/code-pages.ts';
import { endOfPrintId, endOfPrintRequest, STATUS_POLL } from '../../codecs/escpos.ts';
import { speech } from '../../runtime/base/speech.ts';
import type { Question, Run, Sent, Step, Tour } from '../../runtime/certify/tour.ts';
import type { Line, PrinterStatus } from './contract.ts';
import words from './words/certify/en.json' with { type: 'json' };

const say = speech(words);

const WIDTHS = [32, 42, 48, 64] as const;
const FRAMES = [384, 432, 512, 576, 640, 832] as const;
const FRAME_ROWS = 12;
/** A character for each page, where it has another byte than in the pages before. */
const SAMPLES: Readonly<Record<CodePage, string>> = {
  ...{ cp1252: 'é', cp858: '€', cp852: 'Ł', cp866: 'Я', cp737: 'Ω', cp437: 'ß', cp850: 'ø', cp857: 'ş' },
  ...{ cp1251: 'Ђ', cp1253: 'Ώ', cp1250: 'ő', cp1254: 'ğ', cp1257: 'ģ', cp775: 'Ŗ', rk1048: 'Қ' },
};
const MAKE_NAMES = Object.keys(MAKES) as Make[];
const LETTERS = 'ABCDEFGHIJ';

const YES_NO = { yes: say('yes'), no: say('no') };
const awaited = (id: Seen, rest: Partial<Question> = {}): Question => ({
  ...{ id, text: say(id), awaited: true, default: 'do' },
  ...rest,
});

const questions: readonly Question[] = [
  {
    id: 'columns',
    text: say('columns'),
    choices: {
      ...Object.fromEntries(WIDTHS.map((width) => [width, say('nColumns', { n: width })])),
      none: say('noneOfThem'),
    },
  },
  {
    id: 'dots',
    text: say('dots'),
    choices: {
      ...Object.fromEntries(FRAMES.map((width) => [width, say('nDots', { n: width })])),
      none: say('noneOfThem'),
    },
  },
  {
    id: 'pages',
    text: say('pages', { sample: Object.values(SAMPLES).join(' ') }),
    choices: {
      ...Object.fromEntries(MAKE_NAMES.map((make, n) => [make, say('lineLetter', { letter: LETTERS[n] ?? '' })])),
      none: say('noneOfThem'),
    },
  },
  {
    id: 'cut',
    text: say('cut'),
    choices: { clean: say('cutClean'), through: say('cutThrough'), no: say('no') },
  },
  { id: 'picture', text: say('picture'), choices: YES_NO },
  {
    id: 'symbols',
    text: say('symbols'),
    choices: {
      both: say('both'),
      qr: say('onlyQr'),
      barcode: say('onlyBarcode'),
      neither: say('neither'),
      untried: say('untried'),
    },
    default: 'untried',
  },
  {
    id: 'smooth',
    text: say('smooth'),
    choices: { smooth: say('withoutStop'), pauses: say('withStops') },
    default: 'smooth',
  },
  { id: 'drawer', text: say('drawer'), choices: YES_NO, default: 'no' },
  { id: 'drawer-2', text: say('drawer-2'), choices: YES_NO, default: 'no' },
  { id: 'drawer-5', text: say('drawer-5'), choices: YES_NO, default: 'no' },
  awaited('drawer-seen'),
  awaited('drawer-closed'),
  awaited('cover-open'),
  awaited('cover-closed'),
  awaited('paper-out'),
  awaited('paper-in'),
  awaited('paper-low', { default: 'skip' }),
];

const base64 = (...bytes: readonly number[]) => btoa(String.fromCharCode(...bytes));
/** What every printer has letters for: whether it prints those of other languages is a question of its own. */
const TEXT = '0123456789 ABCDEFGHIJ';
const ascii = (text: string) => Array.from(text, (char) => char.charCodeAt(0));
const raw = (...bytes: readonly number[]): Sent => ({
  path: '/raw',
  // ESC @ before it, and enough paper behind it to be seen.
  body: { type: 'raw', data: base64(0x1b, 0x40, ...bytes, 0x1b, 0x64, 5) },
});
const print = (lines: readonly Line[], rest: object = {}): Sent => ({
  path: '/print',
  body: { type: 'print', lines, ...rest },
});
const line = (value: string): Line => ({ type: 'text', value });
const FEED: Line = { type: 'feed', lines: 5 };

const ruler = (width: number) => ascii(`${width} ${'.'.repeat(width - 4)}|\n`);

/** GS v 0 (Epson TM-T88III manual): a thin line with a black block at each end. */
function frame(dots: number): number[] {
  const row = Array.from({ length: dots / 8 }, (_, at) => (at === 0 || at === dots / 8 - 1 ? 0xff : 0));
  const rows = Array.from({ length: FRAME_ROWS }, (_, y) => (y === 0 ? row.map(() => 0xff) : row)).flat();
  return [...ascii(`${dots}\n`), 0x1d, 0x76, 0x30, 0, dots / 8, 0, FRAME_ROWS, 0, ...rows, 0x0a];
}

/** One line for each make: a character of each code page that it numbers. */
const pages = (): number[] =>
  MAKE_NAMES.flatMap((make, at) => {
    const numbered: readonly { readonly n: number; readonly page: CodePage }[] = MAKES[make];
    const cells = (Object.keys(SAMPLES) as CodePage[]).flatMap((page) => {
      const found = numbered.find((each) => each.page === page);
      const byte = byteTable(page)[SAMPLES[page].charCodeAt(0)] ?? 0;
      return found === undefined ? ascii('. ') : [0x1b, 0x74, found.n, byte, 0x20];
    });
    return [...ascii(`${LETTERS[at]}  `), ...cells, 0x0a];
  });

function circle(width: number, height: number): Line {
  const bytes = new Uint8Array((width / 8) * height);
  const isBlack = (x: number, y: number) => {
    const edge = Math.min(x, y, width - 1 - x, height - 1 - y) < 2;
    const far = Math.hypot(x - width / 2, y - height / 2);
    return edge || (far < height / 2 - 6 && far > height / 2 - 12);
  };
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) if (isBlack(x, y)) bytes[(y * width + x) >> 3]! |= 0x80 >> (x & 7);
  return { type: 'raster', width, height, data: base64(...bytes) };
}

const statusOf = async ({ client, endpoint }: Run): Promise<PrinterStatus | undefined> =>
  (await client.status()).printers.find((printer) => printer.endpoint === endpoint);

/** What the printer itself is to say of what was done. */
type Seen = 'drawer-seen' | 'drawer-closed' | 'cover-open' | 'cover-closed' | 'paper-out' | 'paper-in' | 'paper-low';

type Flag = 'coverOpen' | 'paperOut' | 'paperLow' | 'drawerOpen';
/** Waits until the printer says that `flag` is `value`. */
async function says(run: Run, id: Seen, flag: Flag, value: boolean): Promise<boolean> {
  const seen = await run.awaited(id, (event) =>
    event.type === 'printer_status' && event.endpoint === run.endpoint && event.known && event[flag] === value
      ? { type: event.type, known: true, [flag]: value }
      : undefined,
  );
  run.fact(id, seen !== undefined);
  run.say(say(seen === undefined ? 'saidNotSeen' : 'saidSeen', { what: say(id) }));
  return seen !== undefined;
}

const steps: readonly Step[] = [
  {
    id: 'width',
    title: say('widthStep'),
    async run(run) {
      await run.send(raw(...WIDTHS.flatMap(ruler)));
      const columns = await run.ask('columns');
      if (columns !== 'none') run.option('columns', Number(columns));
      await run.send(raw(...FRAMES.flatMap(frame)));
      const dots = await run.ask('dots');
      if (dots !== 'none') run.option('dots', Number(dots));
      const found = (value: string, unit: 'nColumns' | 'nDots') =>
        value === 'none' ? say('noneOfThem') : say(unit, { n: value });
      run.say(say('saidWidth', { row: found(columns, 'nColumns'), picture: found(dots, 'nDots') }));
    },
  },
  {
    id: 'pages',
    title: say('pagesStep'),
    async run(run) {
      // FS . ends the two-byte mode in which some printers start; others print its full stop.
      await run.send(raw(0x1c, 0x2e, 0x0a, ...pages()));
      const make = await run.ask('pages');
      if (make !== 'none') run.option('codePages', make);
      run.say(make === 'none' ? say('saidNoPages') : say('saidPages', { make }));
    },
  },
  {
    id: 'cut',
    title: say('cutStep'),
    async run(run) {
      await run.send(print([line(TEXT), line(TEXT), { type: 'cut' }]));
      const cut = await run.ask('cut');
      if (cut === 'no') run.option('cutter', false);
      run.fact('cut', cut);
      run.say(say(cut === 'no' ? 'saidNoCut' : cut === 'clean' ? 'saidCut' : 'saidCutThrough'));
    },
  },
  {
    id: 'graphics',
    title: say('graphicsStep'),
    async run(run) {
      await run.send(print([circle(192, 96), FEED]));
      const picture = await run.ask('picture');
      await run.send(
        print([
          { type: 'barcode', symbology: 'qr', value: 'https://example.com/certify' },
          { type: 'barcode', symbology: 'code128', value: 'CERTIFY-123456' },
          FEED,
        ]),
      );
      const symbols = await run.ask('symbols');
      run.fact('picture', picture === 'yes');
      run.fact('symbols', symbols);
      run.say(say(picture === 'yes' ? 'saidPicture' : 'saidNoPicture'));
      const which = { both: 'both', qr: 'onlyQr', barcode: 'onlyBarcode', neither: 'neither' } as const;
      run.say(say('saidSymbols', { which: say(which[symbols as keyof typeof which] ?? 'untried') }));
    },
  },
  {
    id: 'end-of-print',
    title: say('endStep'),
    async run(run) {
      const request = [...ascii(`${TEXT}\n`), ...endOfPrintRequest('CERT')];
      const { replied } = await run.send(raw(...request), ({ direction, data }) => {
        return direction === 'in' && data.some((_, at) => endOfPrintId(data.subarray(at, at + 7)) === 'CERT');
      });
      if (replied !== undefined) run.option('endOfPrint', true);
      run.fact('endOfPrint', replied !== undefined);
      run.say(say(replied === undefined ? 'saidNoEnd' : 'saidEnd'));
    },
  },
  {
    id: 'speed',
    title: say('speedStep'),
    async run(run) {
      const lines = Array.from({ length: 40 }, (_, n) => line(`${String(n + 1).padStart(2, '0')} ${TEXT}`));
      const { ms, bytes, outcome } = await run.send(print([...lines, FEED], { confirm: true }));
      run.fact('speedBytes', bytes ?? 0);
      run.fact('speedMs', ms);
      run.fact('speedOutcome', outcome ?? 'accepted');
      const smooth = await run.ask('smooth');
      run.fact('smooth', smooth === 'smooth');
      run.say(
        say(outcome === 'printed' ? 'saidPrinted' : 'saidTaken', {
          ...{ lines: lines.length, bytes: bytes ?? 0, ms },
          how: say(smooth === 'smooth' ? 'withoutStop' : 'withStops'),
        }),
      );
    },
  },
  {
    id: 'status',
    title: say('statusStep'),
    async run(run) {
      const status = await statusOf(run);
      run.fact('statusKnown', status?.known ?? false);
      run.fact('languages', status?.languages?.join(', ') ?? '');
      run.say(say(status?.known ? 'saidStatus' : 'saidNoStatus'));
      if (!status?.known) return;
      if (await says(run, 'cover-open', 'coverOpen', true)) await says(run, 'cover-closed', 'coverOpen', false);
      if (await says(run, 'paper-out', 'paperOut', true)) await says(run, 'paper-in', 'paperOut', false);
      await says(run, 'paper-low', 'paperLow', true);
    },
  },
  { id: 'drawer', title: say('drawerStep'), run: drawer },
];

async function drawer(run: Run): Promise<void> {
  if ((await run.ask('drawer')) === 'no') return run.say(say('saidNoDrawer'));
  const before = await statusOf(run);
  let told = !before?.known;
  for (const pin of [2, 5] as const) {
    await run.send({ path: '/drawer/kick', body: { type: 'drawer_kick', pin } });
    const opened = (await run.ask(`drawer-${pin}`)) === 'yes';
    run.fact(`drawerPin${pin}`, opened);
    run.say(say(opened ? 'saidPulse' : 'saidNoPulse', { pin }));
    if (told || !opened || before === undefined) continue;
    told = true;
    // Which level of its switch means open is the drawer's: what it said while it was closed is the other one.
    if (!(await says(run, 'drawer-seen', 'drawerOpen', !before.drawerOpen))) continue;
    run.fact('drawerSaysOpen', !before.drawerOpen);
    await says(run, 'drawer-closed', 'drawerOpen', before.drawerOpen);
  }
}

/** Answers to DLE EOT are four status bytes. */
const isStatusByte = (byte: number) => (byte & 0x93) === 0x12;

export const tour: Tour = {
  kind: 'printer',
  name: say('name'),
  sends: ['/print', '/raw', '/drawer/kick'],
  config: ['printWidthCols', 'cutClearanceLines', 'drawer', 'usb'],
  idle: {
    question: STATUS_POLL,
    // GET_PORT_STATUS (USB printer class 1.1, 4.2.2).
    request: [0xa1, 1],
    bytes: 4,
    isAnswer: (data) => data.length > 0 && data.every(isStatusByte),
  },
  questions,
  steps,
};
