/** The paper of a preview, which the drawing thread loads at the first one. */
import { DrawnTexts } from '../virtual/paper/drawn-texts.ts';
import { paperSvg } from '../virtual/paper/svg.ts';
import { paperText } from '../virtual/paper/text.ts';
import { paperOf } from '../virtual/paper-of.ts';
import type { DrawingJob, DrawnBytes, DrawnPaper } from './job.ts';

/** Prints what was laid out of a job on a virtual printer with its options. */
export function paperFor({ bytes, drawn, substituted }: DrawnBytes, { options, leftOut = 0 }: DrawingJob): DrawnPaper {
  const paper = paperOf(bytes, options);
  const texts = new DrawnTexts();
  texts.keep(drawn);
  return { ok: true, svg: paperSvg(paper, { substituted, leftOut, text: paperText(paper, texts) }) };
}
