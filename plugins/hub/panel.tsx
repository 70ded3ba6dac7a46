/** The USB bus: its channels, and what hangs behind which hub. */
import { Badge, Card, definePanel, deviceName, Facts, type PanelProps, Table } from '../../runtime/exports/panel.ts';
import type { HubStatus } from './contract.ts';

function View({ node: { status } }: PanelProps) {
  if (status === undefined) return <p>Asking the node…</p>;
  const { channels, channelsInUse = 0 } = status.usb;
  const hubs = (status as { readonly hubs?: readonly HubStatus[] }).hubs ?? [];
  return (
    <>
      <Card title="Channels">
        <p>
          <Badge tone={channelsInUse < channels ? 'good' : 'warn'}>
            {channelsInUse} of {channels} USB channels are in use
          </Badge>
        </p>
        <p class="quiet">A device that needs more channels than are left is refused until another one is unplugged.</p>
      </Card>
      {hubs.length === 0 && (
        <Card>
          <p class="quiet">No hub is plugged in.</p>
        </Card>
      )}
      {hubs.map((hub) => (
        <Card key={hub.port} title={`${deviceName(hub)}, port ${hub.port}`}>
          <Facts
            rows={[
              [
                'Power',
                hub.power === 'self' ? (
                  'a supply of its own'
                ) : (
                  <Badge tone="warn">from the bus: what hangs behind it shares 500 mA</Badge>
                ),
              ],
              ['Draws at most', hub.maxPowerMa === undefined ? undefined : `${hub.maxPowerMa} mA`],
            ]}
          />
          <Table
            caption={`Devices behind ${deviceName(hub)}`}
            head={['Port', 'Device', 'Kind', 'Endpoint']}
            empty="Nothing is plugged into it."
            rows={hub.ports.map((port) => ({
              key: port.number,
              cells: [port.number, deviceName(port), port.kind, port.endpoint ?? '–'],
            }))}
          />
        </Card>
      ))}
    </>
  );
}

export default definePanel({ id: 'usb', title: 'USB', order: 60, View });
