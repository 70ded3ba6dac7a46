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
import { say } from './say.tsx';
import { openDrawer } from './send.tsx';
import { devices, TestPrint, WidthOffer } from './till.tsx';

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
  const about = devices(node).find((each) => each.endpoint === endpoint)?.words ?? '';
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
      <WidthOffer node={node} endpoint={endpoint} />
      {node.mayPrint ? (
        <>
          <TestPrint node={node} endpoint={endpoint} about={about} />
          <Drawer node={node} endpoint={endpoint} about={about} />
        </>
      ) : (
        <p class="quiet">{say('needsKey')}</p>
      )}
    </Card>
  );
}

const PINS = [
  ['', 'as configured'],
  ['2', '2'],
  ['5', '5'],
] as const;

function Drawer({ node, endpoint, about }: { node: PageNode; endpoint: string; about: string }) {
  const [pin, setPin] = useState('');
  const open = () =>
    openDrawer(node, endpoint, pin === '' ? undefined : (Number(pin) as NonNullable<DrawerKickCommand['pin']>));
  return (
    <div class="row">
      <SelectField label="Drawer pin" value={pin} options={PINS} onValue={setPin} />
      <Button about={about} onPress={open}>
        {say('openDrawer')}
      </Button>
    </div>
  );
}
