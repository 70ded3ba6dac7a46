/** A paragraph with what Unicode says about it: graphemes, the way of each, where rows may end, and directions. */
import { JobTooLarge } from '../../../../codecs/job-bytes.ts';
import { composed, SOFT_HYPHEN } from '../../../../codecs/printable.ts';
import { directionsOf } from './bidi.ts';
import { graphemesOf } from './graphemes.ts';
import { rowBreaks } from './line-break.ts';
import type { Routed, Routes } from './routes.ts';

export interface Grapheme extends Routed {
  /** Embedding level; odd ones are from right to left. */
  readonly level: number;
  /** True where a row may end before it. */
  readonly breaks: boolean;
  /** True where a row that ends before it shows a hyphen, because a soft one is there. */
  readonly hyphen: boolean;
}

export interface Paragraph {
  readonly graphemes: readonly Grapheme[];
  readonly rightToLeft: boolean;
}

/** The paragraphs of a text, which line ends divide; there is at least one. */
export const paragraphsOf = (value: string): readonly string[] => composed(value).split('\n');

/** What may print nothing at all. */
const MAY_VANISH = /^[\s\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]+$/u;

/** Reads a paragraph. `most`: bytes that its job may still take; throws `JobTooLarge` where it cannot be that short. */
export function paragraphOf(text: string, routes: Routes, most: number): Paragraph {
  const clusters = graphemesOf(text);
  if (clusters.length > most && clusters.filter((each) => !MAY_VANISH.test(each)).length > most)
    throw new JobTooLarge();
  const { rightToLeft, levels } = directionsOf(text);
  const breaks = rowBreaks(text);
  const graphemes: Grapheme[] = [];
  let index = 0;
  /** A row may end before what comes next. */
  let open = false;
  let ink = false;
  /** A soft hyphen stands behind a letter. */
  let hyphen = false;
  for (const grapheme of clusters) {
    open ||= breaks[index] === 1;
    if (grapheme === SOFT_HYPHEN) hyphen = ink && graphemes.at(-1)!.way !== 'blank';
    const level = levels[index]!;
    for (const { way, text } of routes.of(grapheme)) {
      // A row does not end between the spaces in front of a paragraph and its first word.
      graphemes.push({ way, text, level, breaks: open && ink, hyphen: open && hyphen });
      if (way !== 'blank') ink = true;
      open = false;
      hyphen = false;
    }
    index += grapheme.length;
  }
  return { graphemes, rightToLeft };
}
