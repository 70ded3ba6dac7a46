/** The panel of the twin: the paper, and cards that change the virtual devices. */
import { definePanel, type PanelProps, speech } from '../../runtime/page/kit.ts';
import { ActionCards } from './panel-actions.tsx';
import { AttachCard, ButtonCard, PrinterBenchCard, ScaleBenchCard, ScanCard } from './panel-bench.tsx';
import { PaperCard } from './panel-paper.tsx';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

const View = ({ node }: PanelProps) => (
  <div class="counter">
    <PaperCard node={node} />
    <div class="stack">
      <PrinterBenchCard node={node} />
      <ScanCard node={node} />
      <ScaleBenchCard node={node} />
      <ActionCards node={node} />
      <ButtonCard node={node} />
      <AttachCard node={node} />
    </div>
  </div>
);

export default definePanel({ id: 'bench', title: say('title'), order: 15, View });
