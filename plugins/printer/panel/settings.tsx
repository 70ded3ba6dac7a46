/** Paper, drawer, pacing and port 9100, by their schemas. */
import { Card, ConfigForm, type PanelProps } from '../../../runtime/exports/panel.ts';
import { CutClearanceLines, Drawer, PrintWidthCols, Raw, Usb } from '../contract.ts';

const { properties: drawer } = Drawer;
const { properties: usb } = Usb;
const { properties: raw } = Raw;

export const PrinterSettings = ({ node }: PanelProps) => (
  <>
    <Card title="Paper">
      <ConfigForm
        node={node}
        settings={[
          { key: 'printWidthCols', schema: PrintWidthCols, label: 'Columns', hint: '48 on 80 mm, 32 on 58 mm' },
          { key: 'cutClearanceLines', schema: CutClearanceLines, label: 'Lines fed before a cut' },
        ]}
      />
    </Card>
    <Card title="Drawer pulse">
      <ConfigForm
        node={node}
        at="drawer"
        settings={[
          { key: 'pin', schema: drawer.pin, label: 'Pin' },
          { key: 'onMs', schema: drawer.onMs, label: 'On', hint: 'milliseconds' },
          { key: 'offMs', schema: drawer.offMs, label: 'Off', hint: 'milliseconds' },
          { key: 'openLevel', schema: drawer.openLevel, label: 'Level of an open drawer' },
        ]}
      />
    </Card>
    <Card title="USB pacing">
      <ConfigForm
        node={node}
        at="usb"
        settings={[
          { key: 'chunkBytes', schema: usb.chunkBytes, label: 'Piece', hint: 'bytes' },
          { key: 'chunkDelayMs', schema: usb.chunkDelayMs, label: 'Pause between pieces', hint: 'milliseconds' },
          { key: 'writeTimeoutMs', schema: usb.writeTimeoutMs, label: 'Given up after', hint: 'milliseconds' },
        ]}
      />
    </Card>
    <Card title="Port 9100">
      <ConfigForm
        node={node}
        at="raw"
        settings={[
          { key: 'enabled', schema: raw.enabled, label: 'Open' },
          {
            key: 'idleTimeoutSeconds',
            schema: raw.idleTimeoutSeconds,
            label: 'Idle for',
            hint: 'seconds, then the next',
          },
        ]}
      />
    </Card>
  </>
);
