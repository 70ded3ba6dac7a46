/** Reports of keyboards that are easily taken for others: what comes of them, and which reads may be wrong. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ScannerSettings } from '../../../plugins/scanner/contract.ts';
import { hex } from '../../field/device.ts';
import { keyboardOf } from './keyboards.ts';
import { startScanningNode } from './node.ts';

const RELEASED = '00 00 00 00 00 00 00 00';
const report = (bytes: string) => `${bytes} ${RELEASED}`.slice(0, RELEASED.length);
/** Keys pressed one after the other, each released before the next. */
const keys = (usages: string, modifiers = '00') =>
  usages.split(' ').flatMap((usage) => [report(`${modifiers} 00 ${usage}`), RELEASED]);
const ENTER = keys('28');

interface Typed {
  readonly says: string;
  readonly reports: readonly string[];
  readonly value: string;
  readonly suspect?: string;
  readonly settings?: Partial<ScannerSettings>;
}

const alt: readonly Typed[] = [
  {
    says: 'ends when the report that releases Alt already has the next key',
    reports: ['04 00 62', '04 00 5e', '04 00 5d', '00 00 04', RELEASED, ...keys('05 06')].map(report),
    value: 'Aabc',
  },
  {
    says: 'has the same digit twice in a row where it was released between',
    reports: ['04 00 62', '04 00', '04 00 5f', '04 00', '04 00 5f', '04 00', RELEASED, ...keys('05 06 04')].map(report),
    value: 'Mbca',
  },
  {
    says: 'ends in a report of too many keys that has no Alt any more',
    reports: ['04 00 5d 5e', '00 00 01 01 01 01 01 01', RELEASED, ...keys('04 05 06')].map(report),
    value: '8abc',
    suspect: 'rollover',
  },
  {
    says: 'is a code point after + on the keypad, with letters of the keyboard as its digits',
    reports: ['04 00 57', '04 00 5a', '04 00 62', '04 00 04', '04 00 06', RELEASED, ...keys('04 05 06')].map(report),
    value: '\u20acabc',
  },
  {
    says: 'may be held with the right Alt key on a layout that has no AltGr',
    reports: ['40 00 62', '40 00 5e', '40 00 5d', RELEASED, ...keys('04 05 06')].map(report),
    value: 'Aabc',
  },
];

const rollover: readonly Typed[] = [
  {
    says: 'keeps the keys that were held before it',
    reports: ['00 00 04', '00 00 04 05', '00 00 01 01 01 01 01 01', '00 00 05 06', RELEASED, ...keys('07 08')].map(
      report,
    ),
    value: 'abcde',
    suspect: 'rollover',
  },
  {
    says: 'may be a fault of the keyboard, usage 02 or 03',
    reports: [...keys('04 05'), report('00 00 03 03 03 03 03 03'), RELEASED, ...keys('06 07')],
    value: 'abcd',
    suspect: 'rollover',
  },
  {
    says: 'before the first key of a read counts for that read',
    reports: [report('00 00 01 01 01 01 01 01'), RELEASED, ...keys('04 05 06 07')],
    value: 'abcd',
    suspect: 'rollover',
  },
];

const arrays: readonly Typed[] = [
  {
    says: 'are typed in the order in which the report names them',
    reports: [report('00 00 21 1f 20 1e'), RELEASED],
    value: '4231',
  },
  {
    says: 'are not typed again where a report names them in another order',
    reports: [report('00 00 1e 1f'), report('00 00 1f 1e 20'), RELEASED, ...keys('21')],
    value: '1234',
  },
  {
    says: 'may be dropped and pressed in one report',
    reports: ['00 00 1e', '00 00 1f', '00 00 20', '00 00 21', RELEASED].map(report),
    value: '1234',
  },
];

const doubtful: readonly Typed[] = [
  {
    says: 'the digit keys with Shift, on a German keyboard',
    settings: { layout: 'de' },
    reports: keys('1e 1f 20 21', '02'),
    value: '!"§$',
    suspect: 'shifted_digits',
  },
  {
    says: 'the digit keys without Shift, on a French keyboard',
    settings: { layout: 'fr' },
    reports: keys('1e 1f 20 21 22'),
    value: `&é"'(`,
    suspect: 'shifted_digits',
  },
  {
    says: 'the letter keys with Ctrl',
    reports: keys('04 05 06 07', '01'),
    value: '\x01\x02\x03\x04',
    suspect: 'control_characters',
  },
];

const likely: readonly Typed[] = [
  { says: 'half of it signs', reports: [...keys('1e', '02'), ...keys('1e 1f'), ...keys('1f', '02')], value: '!12@' },
  { says: 'the digits of the keypad', reports: keys('59 5a 5b 5c'), value: '1234' },
  {
    says: 'the separators of GS1 between its data',
    reports: [...keys('30', '01'), ...keys('1e 1f 20 21'), ...keys('30', '01'), ...keys('22')],
    value: '\x1d1234\x1d5',
  },
];

const locks: readonly Typed[] = [
  {
    says: 'Caps Lock turns Shift around for letters, and for nothing else',
    reports: [...keys('39'), ...keys('04', '02'), ...keys('05 1e 06 39 07')],
    value: 'aB1Cd',
  },
  {
    says: 'Caps Lock that is held over the letters is on until it is pressed again',
    reports: ['00 00 39', '00 00 39 04', '00 00 39', '00 00 39 05', RELEASED, ...keys('39 06 07')].map(report),
    value: 'ABcd',
  },
  { says: 'the keypad types digits when Num Lock is off', reports: keys('53 59 5a 5b 62'), value: '1230' },
  { says: 'Scroll Lock types nothing and changes nothing', reports: keys('47 04 05 47 06 07'), value: 'abcd' },
];

describe.each([
  ['an Alt code', alt],
  ['a report of too many keys', rollover],
  ['keys of one report', arrays],
  ['a read is suspect:', doubtful],
  ['a read is not suspect:', likely],
  ['of the lock keys,', locks],
])('%s', (_, typed) => {
  it.each(typed)('$says', async ({ reports, value, suspect, settings = {} }) => {
    const keyboard = keyboardOf('boot');
    const node = await startScanningNode([keyboard], {
      recipes: [],
      settings: { interKeyTimeoutMs: 1000, ...settings },
    });
    onTestFinished(node.stop);
    for (const each of [...reports, ...ENTER]) keyboard.report(hex(each));
    const { scans } = await node.scans(1);
    expect(scans.map((scan) => [scan.value, scan.suspect])).toEqual([[value, suspect]]);
  });
});
