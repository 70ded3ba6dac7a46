/** Paper, cover and drawer in words, as the printer tells them, and the buttons for it. */
import { useState } from 'preact/hooks';
import {
  Badge,
  Button,
  Card,
  Condition,
  deviceName,
  Facts,
  type PageNode,
  SelectField,
} from '../../../runtime/exports/panel.ts';
import type { DrawerKickCommand, PrinterStatus } from '../contract.ts';
import { testReceipt } from './samples.ts';
import { carefully, newCommand, printLines } from './send.tsx';

/** Known or not: what is not known is never shown as fine. */
const told = (known: boolean, state: 'good' | 'warn' | 'bad', words: string) =>
  known ? <Badge tone={state}>{words}</Badge> : <Badge>unknown: the printer does not say</Badge>;

export function PrinterCard({ node, printer }: { node: PageNode; printer: PrinterStatus }) {
  const { endpoint, known, online, paperOut, paperLow, coverOpen, drawerOpen, condition, columns } = printer;
  const device = node.status?.peripherals.find((each) => each.endpoint === endpoint);
  const there = condition === 'bound' || condition === 'silent';
  const [paperTone, paper] = paperOut
    ? (['bad', 'out'] as const)
    : paperLow
      ? (['warn', 'low'] as const)
      : (['good', 'there'] as const);
  const width = Number(node.config?.['printWidthCols']);
  return (
    <Card title="Printer">
      <Facts
        rows={[
          ['Device', device?.device && deviceName(device.device)],
          ['Condition', condition && <Condition condition={condition} sinceMs={device?.sinceMs} />],
          [
            'Online',
            there ? told(true, online ? 'good' : 'bad', online ? 'yes' : 'no: it takes nothing now') : undefined,
          ],
          ['Paper', there ? told(known, paperTone, paper) : undefined],
          ['Cover', there ? told(known, coverOpen ? 'bad' : 'good', coverOpen ? 'open' : 'closed') : undefined],
          ['Drawer', there ? told(known, drawerOpen ? 'warn' : 'good', drawerOpen ? 'open' : 'closed') : undefined],
          [
            'Width',
            columns === undefined ? undefined : `${columns} characters in a line; receipts are laid out in ${width}`,
          ],
        ]}
      />
      {node.mayPrint ? (
        <>
          <Button onPress={() => printLines(node, endpoint, testReceipt(node.status?.identity.deviceId ?? '', width))}>
            Print a test receipt
          </Button>
          <Drawer node={node} endpoint={endpoint} />
        </>
      ) : (
        <p class="quiet">
          Printing and opening the drawer need the API key while the API mode is strict, and this page holds none.
        </p>
      )}
    </Card>
  );
}

const PINS = [
  ['', 'as configured'],
  ['2', '2'],
  ['5', '5'],
] as const;

function Drawer({ node, endpoint }: { node: PageNode; endpoint: string }) {
  const [pin, setPin] = useState('');
  const open = () =>
    carefully(async () => {
      const chosen = pin === '' ? {} : { pin: Number(pin) as NonNullable<DrawerKickCommand['pin']> };
      await node.client.kickDrawer({ type: 'drawer_kick', ...newCommand(endpoint), ...chosen });
      return 'The pulse was sent to the drawer.';
    });
  return (
    <div class="row">
      <SelectField label="Drawer pin" value={pin} options={PINS} onValue={setPin} />
      <Button onPress={open}>Open the drawer</Button>
    </div>
  );
}
