/** Where the node is on the network, and how it gets elsewhere. */
import { useState } from 'preact/hooks';
import {
  Badge,
  Button,
  Card,
  definePanel,
  Facts,
  Form,
  type PageNode,
  type PanelProps,
  ReadOnly,
  SelectField,
  TextField,
  useLoaded,
} from '../../exports/panel.ts';
import type { Ipv4Body, NetworkView, WifiBody } from './contract.ts';
import { Reach } from './panel-reach.tsx';

const POLL_MS = 10_000;

const MODES: Readonly<Record<NetworkView['mode'], string>> = {
  setup: 'setup: the node has opened its own network',
  station: 'on Wi-Fi',
  ethernet: 'on a cable',
  offline: 'offline',
};
const METHODS: Readonly<Record<string, string>> = { dhcp: 'by DHCP', static: 'fixed' };

function View({ node }: PanelProps) {
  const { data, fault, reload } = useLoaded(node.client.network, POLL_MS);
  if (data === undefined) return <p>{fault ?? 'Asking the node…'}</p>;
  return (
    <>
      {fault && <p class="bad">{fault}</p>}
      {data.custodyHold && (
        <Card urgent>
          <p>
            <Badge tone="warn">Custody hold</Badge>: the stored settings were damaged and had to be erased. Hold the
            setup button on the node for about 5 seconds to show that you have it in hand; until then it takes no Wi-Fi
            credentials.
          </p>
        </Card>
      )}
      <Card title="Now">
        <Now {...data} />
      </Card>
      <Card title="Wi-Fi">{node.maySave ? <Wifi node={node} bands={data.bands} /> : <ReadOnly what="Wi-Fi" />}</Card>
      <Card title="IPv4 address">
        {data.pendingIpv4 && (
          <p>
            <Badge tone="warn">From the next start</Badge>: {data.pendingIpv4.address ?? 'DHCP'}
          </p>
        )}
        {node.maySave ? <Ipv4 node={node} onStored={reload} /> : <ReadOnly what="The address" />}
      </Card>
    </>
  );
}

function Now({ mode, ssid, band, signalDbm, ipv4, mac, hostname }: NetworkView) {
  const method = ipv4.method === null ? '' : ` (${METHODS[ipv4.method]})`;
  return (
    <Facts
      rows={[
        [
          'Connection',
          <Badge tone={mode === 'offline' ? 'bad' : mode === 'setup' ? 'warn' : 'good'}>{MODES[mode]}</Badge>,
        ],
        ['Network', ssid],
        ['Band', band && `${band} GHz`],
        ['Signal', signalDbm === undefined ? undefined : `${signalDbm} dBm`],
        ['Address', `${ipv4.address ?? 'not known'}${method}`],
        ['Netmask', ipv4.netmask ?? 'not known'],
        ['Gateway', ipv4.gateway ?? 'not known'],
        ['Name server', ipv4.dns ?? 'not known'],
        ['Host name', hostname],
        ['MAC address', mac],
      ]}
    />
  );
}

function Wifi({ node, bands }: { node: PageNode; bands: NetworkView['bands'] }) {
  const [{ ssid, password, band = 'auto' }, set] = useState<WifiBody>({ ssid: '', password: '' });
  const save = async () => {
    await node.client.setWifi({ ssid, password, band });
    return `Stored. The node now leaves for “${ssid}”; find it there. If that fails, it opens its own network in about 3 minutes.`;
  };
  return (
    <Form submit="Connect" onSubmit={save}>
      <TextField
        label="Network"
        required
        maxLength={32}
        value={ssid}
        onValue={(value) => set({ ssid: value, password, band })}
      />
      <TextField
        label="Password"
        hint="8 to 63 characters; none for an open network"
        type="password"
        maxLength={63}
        value={password}
        onValue={(value) => set({ ssid, password: value, band })}
      />
      <SelectField
        label="Band"
        value={band}
        options={[['auto', 'any'], ...bands.map((each) => [each, `${each} GHz`] as const)]}
        onValue={(value) => set({ ssid, password, band: value as NonNullable<WifiBody['band']> })}
      />
    </Form>
  );
}

const FIELDS = [
  ['address', 'Address'],
  ['netmask', 'Netmask'],
  ['gateway', 'Gateway'],
  ['dns', 'Name server'],
] as const;

/** What is sent replaces everything: an empty field is cleared. */
function Ipv4({ node, onStored }: { node: PageNode; onStored: () => Promise<void> }) {
  const [values, set] = useState<Record<string, string>>({});
  const store = async (body: Ipv4Body) => {
    await node.client.setIpv4(body);
    await onStored();
    return 'Stored. It holds from the next start of the node.';
  };
  return (
    <>
      <Form
        submit="Set a fixed address"
        onSubmit={() => store(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')))}
      >
        {FIELDS.map(([name, label]) => (
          <TextField
            key={name}
            label={label}
            placeholder="0.0.0.0"
            required={name === 'address' || name === 'netmask'}
            pattern="\d{1,3}(\.\d{1,3}){3}"
            value={values[name] ?? ''}
            onValue={(value) => set({ ...values, [name]: value.trim() })}
          />
        ))}
      </Form>
      <Button confirm="Get the address by DHCP from the next start?" onPress={() => store({})}>
        Use DHCP
      </Button>
    </>
  );
}

export default definePanel({ id: 'network', title: 'Network', order: 110, View, Overview: Reach });
