/** The endpoints and what is bound to them, what was refused, and what nobody here knows. */
import { useState } from 'preact/hooks';
import type { Status, UnknownDevices } from '../../client/client.ts';
import {
  ago,
  Badge,
  Button,
  Card,
  Condition,
  definePanel,
  deviceName,
  type PanelProps,
  Table,
  useLoaded,
} from '../../exports/panel.ts';

const UNKNOWN_MS = 10_000;

/** Why a device is not bound (contract, rejections). */
const REASONS: Readonly<Record<string, string>> = {
  no_channel: 'the USB bus has no channel left for it',
  unsupported_language: 'it speaks a language that this node does not print in',
  no_codec: 'this firmware has no codec for it',
  second_printer: 'a node drives one printer, and there is one already',
  claim_failed: 'another program holds it, or it did not let itself be claimed',
  bad_descriptor: 'its description of itself is broken',
  probe_failed: 'it did not answer when it was asked what it is',
  not_in_variant: 'this variant does not drive devices of its kind',
};

const TIERS: Readonly<Record<string, string>> = {
  cloud: 'from the cloud',
  cached: 'kept from the cloud',
  builtin: 'built in',
  derived: 'worked out by the node',
};

const reasonOf = (reason: string, detail?: string) => `${REASONS[reason] ?? reason}${detail ? ` (${detail})` : ''}`;

const choiceOf = ({ kind, codec }: { kind: string; codec?: string | undefined }) =>
  codec === undefined ? kind : `${kind}, ${codec}`;

function Recipe({ recipe }: { recipe: Status['peripherals'][number]['recipe'] | undefined }) {
  if (recipe === undefined) return <>–</>;
  const { id, tier, codec, disagreement } = recipe;
  return (
    <>
      {id}: {codec}, {TIERS[tier] ?? tier}
      {disagreement && (
        <p>
          <Badge tone="warn">
            the node worked out {choiceOf(disagreement.derived)}; row {disagreement.row.id} of the cloud says{' '}
            {choiceOf(disagreement.row)}, and is {disagreement.followed ? '' : 'not '}followed: {disagreement.reason}
          </Badge>
        </p>
      )}
    </>
  );
}

const BUS: Readonly<Record<string, string>> = {
  no_bus: 'There is no USB bus.',
  no_access: 'The node may not use the USB bus: it needs access to the device nodes.',
};

function View({ node }: PanelProps) {
  const { data, fault } = useLoaded(node.client.unknownDevices, UNKNOWN_MS);
  const { status } = node;
  if (status === undefined) return <p>Asking the node…</p>;
  return (
    <>
      {BUS[status.usb.state] && <p class="bad">{BUS[status.usb.state]}</p>}
      <Card title="Plugged in">
        <Table
          caption="Endpoints of this node and the devices behind them"
          head={['Endpoint', 'Condition', 'Device', 'Port', 'Recipe']}
          empty="This variant has no endpoints."
          rows={status.peripherals.map(({ endpoint, condition, device, recipe, sinceMs, reason }) => ({
            key: endpoint,
            cells: [
              endpoint,
              <>
                <Condition condition={condition} sinceMs={sinceMs} />
                {reason && <p class="quiet">{reasonOf(reason)}</p>}
              </>,
              device ? deviceName(device) : '–',
              device?.port ?? '–',
              <Recipe key="recipe" recipe={recipe} />,
            ],
          }))}
        />
      </Card>
      <Card title="Refused">
        <Table
          caption="Devices that were refused, newest first"
          head={['Device', 'Ids', 'Taken for', 'Why', 'When']}
          empty="No device was refused since the node started."
          rows={status.rejections.map((refused, index) => ({
            key: index,
            cells: [
              deviceName(refused),
              `${refused.vendorId}:${refused.productId}`,
              refused.class,
              reasonOf(refused.reason, refused.detail),
              ago(refused.ageMs),
            ],
          }))}
        />
      </Card>
      <Card title="Unknown devices">
        {fault && <p class="bad">{fault}</p>}
        {data && <Unknown devices={data.devices} />}
      </Card>
    </>
  );
}

const Unknown = ({ devices }: UnknownDevices) => (
  <>
    <Table
      caption="USB devices that nothing here drives"
      head={['Device', 'Ids', 'State', 'When']}
      empty="Every device that was met is driven."
      rows={devices.map((device, index) => ({
        key: index,
        cells: [
          deviceName(device),
          `${device.vendorId}:${device.productId}`,
          device.reason === null ? device.state : `${device.state}: ${reasonOf(device.reason, device.detail)}`,
          ago(device.ageMs),
        ],
      }))}
    />
    {devices.length > 0 && (
      <p class="quiet">
        A recipe row makes the node drive a device whose kind it has a codec for. Complete a row (kind and codec) and
        send it in.
      </p>
    )}
    {devices.map(({ draftRow }, index) => (
      <Row key={index} row={draftRow} />
    ))}
  </>
);

function Row({ row }: { row: UnknownDevices['devices'][number]['draftRow'] }) {
  const [open, setOpen] = useState(false);
  const text = JSON.stringify(row, null, 2);
  return (
    <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        Recipe row for {deviceName(row)} ({row.vendorId}:{row.productId})
      </summary>
      {open && (
        <div class="stack">
          <pre>{text}</pre>
          <Button onPress={() => copy(text)}>Copy</Button>
        </div>
      )}
    </details>
  );
}

/** Browsers have a clipboard on secure origins alone, and a node is on plain HTTP. */
async function copy(text: string): Promise<string> {
  if (navigator.clipboard === undefined)
    throw new Error('This browser lets no page on plain HTTP copy: select the text.');
  await navigator.clipboard.writeText(text);
  return 'Copied.';
}

export default definePanel({ id: 'devices', title: 'Devices', order: 55, View });
