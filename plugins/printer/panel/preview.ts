/**
 * The preview of a receipt. The layout and the encoder of the node make the bytes, which are drawn on the paper of the
 * virtual printer. Runs in the browser.
 */
import { resolveOptions } from '../../../codecs/escpos.ts';
import { paperDots } from '../../../codecs/picture.ts';
import type { Line } from '../contract.ts';
import { type LayoutSettings, type Rendered, render } from '../layout/layout.ts';
import { paperSvg } from '../virtual/paper/svg.ts';
import { paperText } from '../virtual/paper/text.ts';
import { paperOf } from './preview-paper.ts';

export type Preview =
  | {
      readonly ok: true;
      readonly svg: string;
      /** A row for each printed line. */
      readonly text: string;
      /** Characters that are printed as a question mark. */
      readonly substituted: number;
    }
  | Extract<Rendered, { ok: false }>;

/** Lines of the contract's shape on a printer of `printerColumns` characters of Font A; only what all printers do. */
export function preview(lines: readonly Line[], settings: LayoutSettings, printerColumns = settings.columns): Preview {
  const dots = paperDots(printerColumns);
  const rendered = render(lines, settings, resolveOptions({ columns: printerColumns, dots }));
  if (!rendered.ok) return rendered;
  const paper = paperOf(rendered.bytes, dots, printerColumns);
  return { ok: true, svg: paperSvg(paper), text: paperText(paper), substituted: rendered.substituted };
}
