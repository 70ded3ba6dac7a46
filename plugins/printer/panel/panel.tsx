/** The printer as it is, a test receipt, the drawer, and an editor for receipts. */
import { Asking, definePanel, type PanelProps } from '../../../runtime/page/kit.ts';
import { EditorCard } from './editor.tsx';
import { say } from './say.tsx';
import { PrinterSettings } from './settings.tsx';
import { PrinterCard } from './status.tsx';
import { devices, Overview, printersOf } from './till.tsx';

function View({ node }: PanelProps) {
  const printers = printersOf(node);
  const [printer] = printers;
  if (printer === undefined || node.config === undefined) return <Asking />;
  return (
    <>
      {printers.map((each) => (
        <PrinterCard key={each.endpoint} node={node} printer={each} />
      ))}
      <EditorCard node={node} endpoint={printer.endpoint} printerColumns={printer.columns} />
      <PrinterSettings node={node} />
    </>
  );
}

export default definePanel({ id: 'receipt', title: say('title'), order: 20, View, devices, Overview });
