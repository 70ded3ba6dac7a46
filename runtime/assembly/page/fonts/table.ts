/**
 * The faces of an image, in the order in which a character looks for one. All are licensed under the SIL Open Font License
 * 1.1. A subset carries no name of its font, as the licence reserves some of them.
 */

import type { FaceEntry } from '../../../../plugins/printer/drawing/pack.ts';

/** One row: where the font comes from, and how it is drawn. */
export interface FaceRow {
  readonly name: string;
  /** The npm package, and the font in it. */
  readonly from: string;
  readonly font: string;
  /** Scripts that an image with this face draws (ISO 15924). */
  readonly scripts: readonly string[];
  /** As in the index of the pack. */
  readonly kind: FaceEntry['kind'];
  readonly dots: number;
  readonly rise?: number;
  /** Which of the font's characters it draws. */
  readonly has: RegExp;
}

/** The face of one width, which every image that draws text has: rows of any script have digits and signs. */
const CELLS = 'cells';
/** The face that has sequences of emoji, too. */
export const EMOJI = 'emoji';

/** A Noto face of one script. What Latin letters and signs it has is left to the face of one width. */
const noto = (name: string, font: string, script: string, dots: number): FaceRow => ({
  name,
  from: `@expo-google-fonts/noto-${name}`,
  font: `400Regular/${font}_400Regular.ttf`,
  scripts: [script],
  kind: 'outline',
  dots,
  has: /[^\0-\u02ff\u1e00-\u1eff\u2000-\u200b\u2010-\u2bff]/u,
});

const FACES: readonly FaceRow[] = [
  {
    name: CELLS,
    from: '@expo-google-fonts/noto-sans-mono',
    font: '400Regular/NotoSansMono_400Regular.ttf',
    scripts: ['Latn', 'Grek', 'Cyrl'],
    // Its letters are 0.6 em wide: 12 dots, as those of Font A.
    kind: 'outline',
    dots: 20,
    has: /[^\p{C}]/u,
  },
  noto('naskh-arabic', 'NotoNaskhArabic', 'Arab', 28),
  noto('sans-hebrew', 'NotoSansHebrew', 'Hebr', 24),
  noto('sans-thaana', 'NotoSansThaana', 'Thaa', 28),
  noto('sans-thai-looped', 'NotoSansThaiLooped', 'Thai', 25),
  noto('sans-lao', 'NotoSansLao', 'Laoo', 27),
  noto('sans-khmer', 'NotoSansKhmer', 'Khmr', 25),
  noto('sans-myanmar', 'NotoSansMyanmar', 'Mymr', 25),
  noto('sans-devanagari', 'NotoSansDevanagari', 'Deva', 25),
  noto('sans-bengali', 'NotoSansBengali', 'Beng', 25),
  noto('sans-tamil', 'NotoSansTamil', 'Taml', 22),
  noto('sans-telugu', 'NotoSansTelugu', 'Telu', 25),
  noto('sans-kannada', 'NotoSansKannada', 'Knda', 25),
  noto('sans-malayalam', 'NotoSansMalayalam', 'Mlym', 22),
  noto('sans-gujarati', 'NotoSansGujarati', 'Gujr', 25),
  noto('sans-gurmukhi', 'NotoSansGurmukhi', 'Guru', 25),
  noto('sans-oriya', 'NotoSansOriya', 'Orya', 25),
  noto('sans-sinhala', 'NotoSansSinhala', 'Sinh', 25),
  noto('sans-georgian', 'NotoSansGeorgian', 'Geor', 24),
  noto('sans-armenian', 'NotoSansArmenian', 'Armn', 24),
  noto('sans-ethiopic', 'NotoSansEthiopic', 'Ethi', 25),
  {
    name: 'han',
    from: '@expo-google-fonts/noto-sans-sc',
    font: '400Regular/NotoSansSC_400Regular.ttf',
    scripts: ['Hani', 'Hira', 'Kana', 'Bopo'],
    kind: 'dots',
    dots: 24,
    // Its em box reaches from 0.12 em below the baseline to 0.88 above it; the row's from 5 dots to 19.
    rise: -2,
    // Unified ideographs of the first block, but no extensions.
    has: /(?=[\u2010-\u33ff\u4e00-\uffe6])[^\p{C}\uff61-\uffdc]/u,
  },
  {
    name: 'half-width katakana',
    from: '@expo-google-fonts/noto-sans-sc',
    font: '400Regular/NotoSansSC_400Regular.ttf',
    scripts: ['Kana'],
    kind: 'dots',
    dots: 12,
    rise: -2,
    has: /[\uff61-\uff9f]/u,
  },
  {
    name: 'hangul',
    from: '@expo-google-fonts/nanum-gothic',
    font: '400Regular/NanumGothic_400Regular.ttf',
    scripts: ['Hang'],
    kind: 'outline',
    dots: 26,
    rise: -2,
    has: /\p{sc=Hang}/u,
  },
  {
    name: EMOJI,
    from: '@expo-google-fonts/noto-emoji',
    font: '400Regular/NotoEmoji_400Regular.ttf',
    scripts: ['Zsye'],
    kind: 'dots',
    dots: 24,
    rise: -2,
    has: /[^\0-\u02ff]/u,
  },
];

/** Which scripts an image draws: codes of ISO 15924, or `all` that there are faces for. */
export type Scripts = 'all' | readonly string[];

/** The faces of an image that draws these scripts, none where it draws none. Throws where no face has a script. */
export function faceRows(scripts: Scripts): readonly FaceRow[] {
  if (scripts === 'all' || scripts.length === 0) return scripts === 'all' ? FACES : [];
  const known = codesOf(FACES);
  const unknown = scripts.find((script) => !known.includes(script));
  if (unknown !== undefined)
    throw new Error(`scripts: there is no face for ${JSON.stringify(unknown)}; there are ${known.join(', ')}`);
  return FACES.filter((row) => row.name === CELLS || row.scripts.some((script) => scripts.includes(script)));
}

/** The scripts of these faces, in alphabetical order. */
export const codesOf = (rows: readonly FaceRow[]): string[] => [...new Set(rows.flatMap((row) => row.scripts))].sort();
