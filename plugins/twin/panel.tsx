/** The twin's counter: the paper that comes out, and hands for everything that stands on it. */
import { definePanel, type PanelProps } from '../../runtime/exports/panel.ts';
import { AttachCard, ButtonCard, PrinterBenchCard, ScaleBenchCard, ScanCard } from './panel-bench.tsx';
import { PaperCard } from './panel-paper.tsx';

const View = ({ node }: PanelProps) => (
  <div class="counter">
    <PaperCard node={node} />
    <div class="stack">
      <PrinterBenchCard node={node} />
      <ScanCard node={node} />
      <ScaleBenchCard node={node} />
      <ButtonCard node={node} />
      <AttachCard node={node} />
    </div>
  </div>
);

export default definePanel({ id: 'bench', title: 'Paper and bench', order: 15, View });
