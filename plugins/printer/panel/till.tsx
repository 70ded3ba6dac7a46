/** The printer on the overview for the cashier: whether it would print a receipt, and buttons to try it. */
import {
  Badge,
  Button,
  Card,
  DeviceLinks,
  type DeviceState,
  devicesOf,
  missing,
  type PageNode,
  type PanelProps,
  State,
} from '../../../runtime/page/kit.ts';
import type { PrinterStatus } from '../contract.ts';
import { testReceipt } from './samples.ts';
import { say } from './say.tsx';
import { openDrawer, printLines } from './send.tsx';

type Told = Pick<DeviceState, 'tone' | 'words' | 'code'>;

/** The status blocks of all printer endpoints. */
export const printersOf = ({ status }: PageNode) => status?.printers ?? [];

/** What it tells of itself; what it does not tell is not fine. */
function toldBy({ known, online, coverOpen, paperOut, paperLow }: PrinterStatus, reason: string | undefined): Told {
  if (reason === 'garbled') return { tone: 'warn', words: say('tillGarbled'), code: 'garbled' };
  if (coverOpen) return { tone: 'bad', words: say('tillCover'), code: 'cover_open' };
  if (paperOut) return { tone: 'bad', words: say('tillPaperOut'), code: 'paper_out' };
  if (!online) return { tone: 'bad', words: say('tillOffline'), code: 'offline' };
  if (!known) return { tone: 'warn', words: say('tillSilent'), code: 'silent' };
  if (paperLow) return { tone: 'warn', words: say('tillPaperLow'), code: 'paper_out' };
  return { tone: 'good', words: say('tillReady') };
}

/** Where no printer is there a receipt does not come out, whether there ever was one or not. */
export function devices(node: PageNode): DeviceState[] {
  const { status } = node;
  const bus = status?.usb.state;
  return devicesOf(status, 'printer', say('title'), (peripheral) => {
    const printer = printersOf(node).find(({ endpoint }) => endpoint === peripheral.endpoint);
    if (bus !== undefined && bus !== 'ok') return { tone: 'bad', words: say('tillNoUsb'), code: bus };
    if (peripheral.reason === 'unsupported_language')
      return { tone: 'bad', words: say('tillLanguage'), code: peripheral.reason };
    const away = missing(peripheral);
    if (away !== undefined) return { ...away, tone: 'bad' };
    return printer && toldBy(printer, peripheral.reason);
  });
}

/** One row for each printer, with its state and buttons. */
export function Overview({ node }: PanelProps) {
  const port = node.status?.raw?.port;
  return (
    <>
      {devices(node).map((device) => (
        <Card key={device.endpoint} title={device.name}>
          <State {...device} />
          <Drawer node={node} endpoint={device.endpoint} />
          <WidthOffer node={node} endpoint={device.endpoint} />
          {node.mayPrint ? (
            <div class="row">
              <TestPrint node={node} endpoint={device.endpoint} about={device.words} />
              <Button about={device.words} onPress={() => openDrawer(node, device.endpoint)}>
                {say('openDrawer')}
              </Button>
            </div>
          ) : (
            <p class="quiet">{say('needsKey')}</p>
          )}
          <p class="quiet">
            {port === undefined
              ? say('portClosed')
              : say('portOpen', { address: location.hostname.replace(/^\[|\]$/g, ''), port })}
          </p>
          <DeviceLinks device={device} />
        </Card>
      ))}
    </>
  );
}

/** Whether the drawer is open, where the printer tells; one that is not plugged in reads as either. */
function Drawer({ node, endpoint }: PanelProps & { readonly endpoint: string }) {
  const printer = printersOf(node).find((each) => each.endpoint === endpoint);
  if (printer?.condition !== 'bound' || !printer.known) return null;
  return (
    <p>
      {say('drawer')}: {printer.drawerOpen ? say('isOpen') : say('isClosed')}
    </p>
  );
}

interface TestPrintProps extends PanelProps {
  readonly endpoint: string;
  /** The state of the printer as a text; when it changes, the answer to the last press is removed. */
  readonly about: string;
}

/** The button that prints the test receipt. */
export const TestPrint = ({ node, endpoint, about }: TestPrintProps) => (
  <Button
    kind="main"
    about={about}
    onPress={() =>
      printLines(
        node,
        endpoint,
        testReceipt(node.status?.identity.deviceId ?? '', Number(node.config?.['printWidthCols'])),
      )
    }
  >
    {say('testPrint')}
  </Button>
);

/** The width of the printer, where receipts are laid out in another: known by its recipe, and never taken unasked. */
export function WidthOffer({ node, endpoint }: PanelProps & { readonly endpoint: string }) {
  const { columns, layoutColumns } = printersOf(node).find((printer) => printer.endpoint === endpoint) ?? {};
  if (columns === undefined || layoutColumns === undefined || columns === layoutColumns) return null;
  const take = async () => {
    await node.client.configure({ printWidthCols: columns });
    await node.refresh();
    return undefined;
  };
  return (
    <>
      <p>
        <Badge tone="warn">{say('width', { columns, layout: layoutColumns })}</Badge>
      </p>
      {node.maySave && <Button onPress={take}>{say('takeWidth', { columns })}</Button>}
    </>
  );
}
