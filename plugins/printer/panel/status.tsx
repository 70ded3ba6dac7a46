/** Paper, cover and drawer in words, as the printer tells them, and the buttons for it. */
import { useState } from 'preact/hooks';
import {
  Badge,
  Button,
  Card,
  Condition,
  counted,
  deviceName,
  Facts,
  type PageNode,
  SelectField,
} from '../../../runtime/page/kit.ts';
import type { DrawerKickCommand, PrinterStatus } from '../contract.ts';
import { say } from './say.tsx';
import { openDrawer } from './send.tsx';
import { devices, TestPrint, WidthOffer } from './till.tsx';

/** Known or not: what is not known is never shown as fine. */
const told = (known: boolean, state: 'good' | 'warn' | 'bad', words: string) =>
  known ? <Badge tone={state}>{words}</Badge> : <Badge>{say('unknown')}</Badge>;

/** The status of one printer, with buttons for test receipt and drawer. */
export function PrinterCard({ node, printer }: { node: PageNode; printer: PrinterStatus }) {
  const { endpoint, known, online, paperOut, paperLow, coverOpen, drawerOpen, condition, columns, layoutColumns } =
    printer;
  const device = node.status?.peripherals.find((each) => each.endpoint === endpoint);
  const there = condition === 'bound' || condition === 'silent';
  const [paperTone, paper] = paperOut
    ? (['bad', say('paperOut')] as const)
    : paperLow
      ? (['warn', say('paperLow')] as const)
      : (['good', say('paperThere')] as const);
  const about = devices(node).find((each) => each.endpoint === endpoint)?.words ?? '';
  return (
    <Card title={say('printer')}>
      <Facts
        rows={[
          [say('device'), device?.device && deviceName(device.device)],
          [say('condition'), condition && <Condition condition={condition} sinceMs={device?.sinceMs} />],
          [
            say('online'),
            there ? told(true, online ? 'good' : 'bad', online ? say('onlineYes') : say('onlineNo')) : undefined,
          ],
          [say('paper'), there ? told(known || paperOut, paperTone, paper) : undefined],
          [
            say('cover'),
            there ? told(known, coverOpen ? 'bad' : 'good', coverOpen ? say('isOpen') : say('isClosed')) : undefined,
          ],
          [
            say('drawer'),
            there ? told(known, drawerOpen ? 'warn' : 'good', drawerOpen ? say('isOpen') : say('isClosed')) : undefined,
          ],
          [
            say('widthName'),
            columns === undefined ? undefined : say('widthIs', { columns, layout: layoutColumns ?? columns }),
          ],
          [say('receipts'), counted(node.status, endpoint, 'receipts')],
          [say('cuts'), counted(node.status, endpoint, 'cuts')],
          [say('kicks'), counted(node.status, endpoint, 'kicks')],
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
  ['', say('asConfigured')],
  ['2', '2'],
  ['5', '5'],
] as const;

function Drawer({ node, endpoint, about }: { node: PageNode; endpoint: string; about: string }) {
  const [pin, setPin] = useState('');
  const open = () =>
    openDrawer(node, endpoint, pin === '' ? undefined : (Number(pin) as NonNullable<DrawerKickCommand['pin']>));
  return (
    <div class="row">
      <SelectField label={say('drawerPin')} value={pin} options={PINS} onValue={setPin} />
      <Button about={about} onPress={open}>
        {say('openDrawer')}
      </Button>
    </div>
  );
}
