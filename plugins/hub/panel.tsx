/** The panel of the USB bus: its channels, and the devices behind each hub. */
import {
  Asking,
  Badge,
  Card,
  definePanel,
  deviceName,
  Facts,
  kindName,
  type PanelProps,
  speech,
  Table,
} from '../../runtime/page/kit.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

function View({ node: { status } }: PanelProps) {
  if (status === undefined) return <Asking />;
  const { channels, channelsInUse = 0 } = status.usb;
  const hubs = status.hubs ?? [];
  return (
    <>
      <Card title={say('channels')}>
        <p>
          <Badge tone={channelsInUse < channels ? 'good' : 'warn'}>
            {say('inUse', { n: channelsInUse, most: channels })}
          </Badge>
        </p>
        <p class="quiet">{say('refusedUntil')}</p>
      </Card>
      {hubs.length === 0 && (
        <Card>
          <p class="quiet">{say('noHub')}</p>
        </Card>
      )}
      {hubs.map((hub) => (
        <Card key={hub.port} title={say('hubAt', { device: deviceName(hub), port: hub.port })}>
          <Facts
            rows={[
              [
                say('power'),
                hub.power === 'self' ? say('selfPowered') : <Badge tone="warn">{say('busPowered')}</Badge>,
              ],
              [say('draws'), hub.maxPowerMa === undefined ? undefined : say('ma', { n: hub.maxPowerMa })],
            ]}
          />
          <Table
            caption={say('behind', { device: deviceName(hub) })}
            head={[say('port'), say('device'), say('kind'), say('endpoint')]}
            empty={say('nothing')}
            rows={hub.ports.map((port) => ({
              key: port.number,
              cells: [port.number, deviceName(port), kindName(port.kind), port.endpoint ?? '–'],
            }))}
          />
        </Card>
      ))}
    </>
  );
}

export default definePanel({ id: 'usb', title: say('title'), order: 60, View });
