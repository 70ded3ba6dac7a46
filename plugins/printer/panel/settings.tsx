/** Paper, drawer, pacing and port 9100, by their schemas. */
import { Card, ConfigForm, type PanelProps } from '../../../runtime/page/kit.ts';
import { CutClearanceLines, Drawer, PrintWidthCols, Raw, Usb } from '../contract.ts';
import { say } from './say.tsx';

const { properties: drawer } = Drawer;
const { properties: usb } = Usb;
const { properties: raw } = Raw;

/** The form for the configuration keys of the printer. */
export const PrinterSettings = ({ node }: PanelProps) => (
  <>
    <Card title={say('paper')}>
      <ConfigForm
        node={node}
        settings={[
          { key: 'printWidthCols', schema: PrintWidthCols, label: say('columns'), hint: say('columnsHint') },
          { key: 'cutClearanceLines', schema: CutClearanceLines, label: say('clearance') },
        ]}
      />
    </Card>
    <Card title={say('drawerPulse')}>
      <ConfigForm
        node={node}
        at="drawer"
        settings={[
          { key: 'pin', schema: drawer.pin, label: say('pin') },
          { key: 'onMs', schema: drawer.onMs, label: say('on'), hint: say('milliseconds') },
          { key: 'offMs', schema: drawer.offMs, label: say('off'), hint: say('milliseconds') },
          {
            key: 'openLevel',
            schema: drawer.openLevel,
            label: say('openLevel'),
            words: { high: say('level_high'), low: say('level_low') },
          },
        ]}
      />
    </Card>
    <Card title={say('pacing')}>
      <ConfigForm
        node={node}
        at="usb"
        settings={[
          { key: 'chunkBytes', schema: usb.chunkBytes, label: say('piece'), hint: say('bytes') },
          { key: 'chunkDelayMs', schema: usb.chunkDelayMs, label: say('pause'), hint: say('milliseconds') },
          { key: 'writeTimeoutMs', schema: usb.writeTimeoutMs, label: say('givenUp'), hint: say('milliseconds') },
        ]}
      />
    </Card>
    <Card title={say('port9100')}>
      <ConfigForm
        node={node}
        at="raw"
        settings={[
          { key: 'enabled', schema: raw.enabled, label: say('portIsOpen') },
          {
            key: 'idleTimeoutSeconds',
            schema: raw.idleTimeoutSeconds,
            label: say('idleFor'),
            hint: say('idleHint'),
          },
          {
            key: 'protect',
            schema: raw.protect,
            label: say('protect'),
            hint: say('protectHint'),
            words: { off: say('protectOff'), settings: say('protectSettings') },
          },
        ]}
      />
    </Card>
  </>
);
