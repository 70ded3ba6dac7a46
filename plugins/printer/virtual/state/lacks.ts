/** The commands that a model of printer does not have, and what becomes of them. */
import type { PrinterModel } from '../../contract/twin.ts';

/**
 * `told`: read past, and named on the paper. `listed`: read past, and named in its list alone. `unknown`: not even its length is
 * known; behind its lead byte it is text.
 */
export type Lack = 'told' | 'listed' | 'unknown';

/** By `lackKey`. */
export type Lacks = ReadonlyMap<number, Lack>;

/** Finds what is lacking: by the two bytes of a command, and the third one of `GS (`. */
export const lackKey = (lead: number, second: number, third = 0): number => (lead << 16) | (second << 8) | third;

const LEADS: Readonly<Record<string, number>> = { ESC: 0x1b, FS: 0x1c, GS: 0x1d };

/** The key of a command as manuals spell it: `GS V`, `GS ( L`. */
const keyOf = (name: string): number => {
  const [lead = '', second = '', third] = name.split(' ');
  return lackKey(LEADS[lead]!, second.charCodeAt(0), third?.charCodeAt(0));
};

const each = (lack: Lack, ...names: readonly string[]) => names.map((name) => [keyOf(name), lack] as const);

const CUTTER = each('told', 'GS V', 'ESC i', 'ESC m');
/** Libraries send them with each line, to be sure, and the paper would be full of notes. */
const TWO_BYTE = each('listed', ...[...'!&-.2?CSW'].map((second) => `FS ${second}`));
/** Commands of Japanese models alone (Epson TM-T88III specification rev. B, 6.4). */
const SHIFT_JIS = each('listed', 'FS C');
const END_OF_PRINT = each('listed', 'GS ( H');
const REALTIME_DISABLE = each('listed', 'GS ( D');

/**
 * Models whose recipes are those of a family. Epson, Paper roll printers ESC/POS application programming guide, Ver. 10.01,
 * "Printers not featuring this command": GS ! (page 150), GS W (190), GS * (279), GS v 0 (293), GS ( H (425); and models that the ranges of
 * GS ( L (265) and GS ( k (536) do not name; GS D stores pictures for GS ( L to print.
 */
const BY_MODEL: readonly (readonly [RegExp, ReturnType<typeof each>])[] = [
  [/^TM-T88III/, each('told', 'GS ( L', 'GS 8', 'GS D', 'GS ( k').concat(END_OF_PRINT)],
  [
    /^TM-U2[123]0/,
    each('told', 'GS ( L', 'GS 8', 'GS D', 'GS ( k').concat(
      END_OF_PRINT,
      each('unknown', 'GS !', 'GS *', 'GS /', 'GS v', 'GS W'),
    ),
  ],
  // TM-U220A Specification, section 6 "Commands", has none of these.
  [
    /^TM-U220/,
    each(
      'unknown',
      ...['\f', ...'$BCFLSTVWZ\\fq7'].map((second) => `ESC ${second}`),
      ...[...'Labcg'].map((second) => `FS ${second}`),
      ...[...'$8:BCDEHLPQT\\^bcfghjkw|'].map((second) => `GS ${second}`),
    ),
  ],
];

/** What a printer with these recipe options and this name does not have. */
export const lacksOf = (
  { twoByte = 'none', cutter = true, endOfPrint = true, realtimePulseDisable = true }: PrinterModel,
  name = '',
): Lacks =>
  new Map([
    ...(cutter ? [] : CUTTER),
    ...(twoByte === 'none' ? TWO_BYTE : []),
    ...(twoByte === 'shift_jis' ? [] : SHIFT_JIS),
    ...(endOfPrint ? [] : END_OF_PRINT),
    ...(realtimePulseDisable ? [] : REALTIME_DISABLE),
    ...BY_MODEL.flatMap(([model, lacks]) => (model.test(name) ? lacks : [])),
  ]);
