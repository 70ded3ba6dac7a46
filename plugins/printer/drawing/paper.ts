/** The paper of a preview, which the drawing thread loads at the first one. */
import type { Stepwise } from '../../../runtime/base/steps.ts';
import { DrawnTexts } from '../virtual/paper/drawn-texts.ts';
import { svgParts } from '../virtual/paper/svg.ts';
import { textParts } from '../virtual/paper/text.ts';
import { printing } from '../virtual/paper-of.ts';
import type { DrawingJob, DrawnBytes, DrawnPaper } from './job.ts';
import { Utf8 } from './utf8.ts';

/** A step takes as long as many parts of a paper, which are often no more than a word: so many, or of so many characters. */
const PARTS = 16;
const CHARACTERS = 8192;

/** Prints what was laid out of a job on a virtual printer with its options, and draws that, some parts at a step. */
export function* paperFor(
  { bytes, drawn, substituted }: DrawnBytes,
  { options, leftOut = 0 }: DrawingJob,
): Stepwise<DrawnPaper> {
  const paper = yield* printing(bytes, options);
  const texts = new DrawnTexts();
  for (let at = 0; at < drawn.length; at += PARTS) {
    texts.keep(drawn.slice(at, at + PARTS));
    yield;
  }
  const document = new Utf8();
  let [parts, characters] = [0, 0];
  for (const part of svgParts(paper, { substituted, leftOut, text: textParts(paper, texts) })) {
    document.add(part);
    parts += 1;
    characters += part.length;
    if (parts < PARTS && characters < CHARACTERS) continue;
    [parts, characters] = [0, 0];
    yield;
  }
  return { ok: true, svg: document.bytes() };
}
