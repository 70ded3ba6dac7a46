/** GET /metrics: what Prometheus reads, as its own tool takes it. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { type PrintingNode, startPrintingNode } from '../../node.ts';
import { noPromtool, promtool } from '../../promtool.ts';

async function started(options = {}): Promise<PrintingNode> {
  const node = await startPrintingNode(options);
  onTestFinished(() => node.stop());
  return node;
}
const metricsOf = async ({ url }: PrintingNode): Promise<string> => (await fetch(`${url}/metrics`)).text();

describe('GET /metrics', () => {
  it('tells how printer and jobs are, in numbers', async () => {
    const node = await started();
    const { headers } = await fetch(`${node.url}/metrics`);
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    await node.print([{ type: 'text', value: 'Madame Secret' }, { type: 'cut' }]);
    await node.print([{ type: 'barcode', symbology: 'ean13', value: '1' }]);
    const text = await metricsOf(node);
    expect(text).toContain('\ntillnode_endpoint_condition{endpoint="receipt",kind="printer",condition="bound"} 1\n');
    expect(text).toContain('\ntillnode_printer_known{endpoint="receipt"} 1\n');
    expect(text).toContain('\ntillnode_printer_paper_out{endpoint="receipt"} 0\n');
    expect(text).toContain('\ntillnode_receipts_total{endpoint="receipt"} 1\n');
    expect(text).toContain('\ntillnode_commands_total{type="print",result="ok"} 1\n');
    expect(text).toContain('\ntillnode_commands_total{type="print",result="invalid_command"} 1\n');
    expect(text).not.toMatch(/Secret|127\.0\.0\.1/);
  });

  it('has no sample of what is not known', async () => {
    const text = await metricsOf(await started({ writeOnly: true }));
    expect(text).toContain('\ntillnode_printer_known{endpoint="receipt"} 0\n');
    expect(text).not.toContain('tillnode_printer_paper_out{');
  });

  it('has no paper where the printer proves that alone, and no drawer', async () => {
    const node = await started({ writeOnly: true });
    node.printer.set({ paper: 'out', drawer: 'open' });
    await node.kernel.bound('printer', 'receipt')?.refresh();
    const text = await metricsOf(node);
    expect(text).toContain('\ntillnode_printer_known{endpoint="receipt"} 0\n');
    expect(text).toContain('\ntillnode_printer_paper_out{endpoint="receipt"} 1\n');
    expect(text).not.toContain('tillnode_printer_drawer_open{');
  });

  it.skipIf(noPromtool)('is what promtool takes', async () => {
    const node = await started();
    await node.print([{ type: 'text', value: 'Hello' }]);
    expect(promtool(['check', 'metrics'], await metricsOf(node))).toEqual({ status: 0, said: '' });
  });
});
