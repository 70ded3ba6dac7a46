/** The block of a printer in GET /status, which is its event `printer_status`, too. */
import type { Node } from '../../runtime/kernel/node.ts';
import { paperOf } from './commands.ts';

/** What is known of the printer at this endpoint, of the shape PrinterStatus; without a printer, that nothing is. */
export function statusOf(node: Node, endpoint: string): Readonly<Record<string, unknown>> {
  const { openLevel } = node.config.get('drawer');
  const condition = node.endpoint(endpoint)?.condition ?? 'never_seen';
  const printer = node.bound('printer', endpoint);
  if (printer === undefined) {
    return {
      type: 'printer_status',
      endpoint,
      known: false,
      online: false,
      paperOut: false,
      coverOpen: false,
      drawerOpen: false,
      condition,
    };
  }
  const { state, options, languages } = printer;
  return {
    type: 'printer_status',
    endpoint,
    known: state.known,
    online: state.online,
    paperOut: state.paperOut,
    coverOpen: state.coverOpen,
    drawerOpen: state.known && state.drawerPinHigh === (openLevel === 'high'),
    paperLow: state.paperLow,
    condition,
    columns: options.columns,
    layoutColumns: node.config.get('printWidthCols'),
    layoutDots: paperOf(node, endpoint)?.dots,
    languages,
  };
}
