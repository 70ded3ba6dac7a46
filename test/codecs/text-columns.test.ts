/** How wide text is in columns of a printer. */
import { expect, it } from 'vitest';
import { clustersIn, columnsIn } from '../../codecs/text-columns.ts';

it.each([
  ['', 0],
  ['Café 5,40 €', 11],
  ['Ελληνικά Кофе Ęłń', 17],
  ['合計 ｶﾅ ５', 10],
  ['☕⭐✅❌⚡❗', 12],
  ['🍕👍', 4],
  ['⚠️❤️☎️', 6],
  ['①②⑩ ㈱ ℃ ※ ☆△♪ Ⅲ ∑', 28],
  ['№ ™ ½ → • … │ █ ░ ● ○ ■ ▲ ♥', 27],
  ['👨‍👩‍👧‍👦', 2],
  ['👍🏽🧑🏻‍🚀', 4],
  ['🇫🇷🏴󠁧󠁢󠁥󠁮󠁧󠁿', 4],
  ['1️⃣#⃣', 2],
  ['e\u0301\u00ad\u200b\ufeff', 1],
  ['\u1112\u1161\u11ab', 2],
])('a text takes as many columns as its characters are printed wide: "%s"', (text, columns) => {
  expect(columnsIn(text)).toBe(columns);
});

it('a text is divided between what stands together', () => {
  const clusters = ['👨‍👩‍👧', 'e\u0301', ' ', 'б', '⚠️', '🇫🇷', '1️⃣'];
  expect(clustersIn(clusters.join(''))).toEqual(clusters.map((text) => ({ text, columns: columnsIn(text) })));
  const long = `${'a\u0300'.repeat(20_000)}${'\u200d'.repeat(20_000)}${'👍\u{e0020}'.repeat(20_000)}`;
  expect(columnsIn(long)).toBe(60_000);
});
