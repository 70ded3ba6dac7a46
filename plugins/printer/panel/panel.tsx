/** The printer as it is, a test receipt, the drawer, and an editor for receipts. */
import { definePanel, type PanelProps } from '../../../runtime/exports/panel.ts';
import type { PrinterStatus } from '../contract.ts';
import { EditorCard } from './editor.tsx';
import { PrinterSettings } from './settings.tsx';
import { PrinterCard } from './status.tsx';

function View({ node }: PanelProps) {
  const printers = (node.status?.printers ?? []) as unknown as readonly PrinterStatus[];
  const [printer] = printers;
  if (printer === undefined || node.config === undefined) return <p>Asking the node…</p>;
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

export default definePanel({ id: 'receipt', title: 'Receipt printer', order: 20, View });
