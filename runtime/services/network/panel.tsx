/** The panel of the network connection and its settings. */
import { useState } from 'preact/hooks';
import { shownSsid } from '../../bindings/ssid.ts';
import {
  Asking,
  Badge,
  Button,
  Card,
  definePanel,
  Facts,
  Form,
  type PageNode,
  type PanelProps,
  ReadOnly,
  speech,
  TextField,
  useLoaded,
} from '../../page/kit.ts';
import type { Ipv4Body, NetworkView } from './contract.ts';
import { ReachCard } from './panel-reach.tsx';
import { Wifi } from './panel-wifi.tsx';
import words from './words/en.json' with { type: 'json' };
import faults from './words/fault/en.json' with { type: 'json' };

const say = speech(words);
const sayFault = speech(faults);

const POLL_MS = 10_000;

function View({ node }: PanelProps) {
  const { data, fault, reload } = useLoaded(node.client.network, POLL_MS);
  if (data === undefined) return <Asking fault={fault} />;
  return (
    <>
      {fault && <p class="bad">{fault}</p>}
      {data.custodyHold && (
        <Card urgent>
          <p>
            <Badge tone="warn">{say('custodyTitle')}</Badge>
          </p>
          <p>{say('custody')}</p>
        </Card>
      )}
      <Card title={say('now')}>
        <Now {...data} />
        <Lan {...data} />
      </Card>
      <Card title={say('wifi')}>{node.maySave ? <Wifi node={node} {...data} /> : <ReadOnly what={say('wifi')} />}</Card>
      <Card title={say('ipv4')}>
        {data.ipv4.fault && (
          <p>
            <Badge tone="warn">
              {sayFault(data.ipv4.fault, {
                address: data.ipv4.fixed?.address ?? '',
                gateway: data.ipv4.fixed?.gateway ?? '',
              })}
            </Badge>
          </p>
        )}
        {data.pendingIpv4 && (
          <p>
            <Badge tone="warn">{say('pending', { address: data.pendingIpv4.address ?? 'DHCP' })}</Badge>
          </p>
        )}
        {node.maySave ? <Ipv4 node={node} onStored={reload} /> : <ReadOnly what={say('address')} />}
      </Card>
    </>
  );
}

function Now({ mode, ssid, band, signalDbm, ipv4, mac, hostname }: NetworkView) {
  const address = ipv4.address ?? say('notKnown');
  return (
    <Facts
      rows={[
        [
          say('connection'),
          <Badge tone={mode === 'offline' ? 'bad' : mode === 'setup' ? 'warn' : 'good'}>{say(mode)}</Badge>,
        ],
        [say('title'), ssid === undefined ? undefined : shownSsid(ssid)],
        [say('band'), band && say('ghz', { n: band })],
        [say('signal'), signalDbm === undefined ? undefined : say('dbm', { n: signalDbm })],
        [say('address'), ipv4.method === null ? address : say(`address_${ipv4.method}`, { address })],
        [say('netmask'), ipv4.netmask ?? say('notKnown')],
        [say('gateway'), ipv4.gateway ?? say('notKnown')],
        [say('dns'), ipv4.dns ?? say('notKnown')],
        [say('hostname'), hostname],
        [say('mac'), mac],
      ]}
    />
  );
}

/** The cable's network. On one that keeps its devices apart, only who came through the router sees this page. */
function Lan({ mode, lan, ipv4: { gateway } }: NetworkView) {
  if (lan?.gateway === false) return <p>{sayFault('silentGateway', { gateway: gateway ?? '' })}</p>;
  return mode === 'station' && lan?.gateway === true && lan.others === false ? <p>{sayFault('alone')}</p> : null;
}

const FIELDS = [
  ['address', say('address')],
  ['netmask', say('netmask')],
  ['gateway', say('gateway')],
  ['dns', say('dns')],
] as const;

/** The request replaces all settings: an empty field is cleared. */
function Ipv4({ node, onStored }: { node: PageNode; onStored: () => Promise<void> }) {
  const [values, set] = useState<Record<string, string>>({});
  const store = async (body: Ipv4Body) => {
    await node.client.setIpv4(body);
    await onStored();
    return say('fromNext');
  };
  return (
    <>
      <Form
        submit={say('setFixed')}
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
      <Button confirm={say('dhcpAsk')} onPress={() => store({})}>
        {say('useDhcp')}
      </Button>
    </>
  );
}

export default definePanel({ id: 'network', title: say('title'), order: 110, View, Overview: ReachCard });
