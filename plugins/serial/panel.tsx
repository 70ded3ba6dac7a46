/** The panel of serial lines: the adapters, what hangs on each, and a button that tries the protocols. */
import { useState } from 'preact/hooks';
import { SAID_UNITS } from '../../codecs/serial-scale.ts';
import { PROTOCOLS, SCALE_PROTOCOLS } from '../../codecs/serial-scales.ts';
import {
  Asking,
  Badge,
  Button,
  Card,
  definePanel,
  deviceName,
  Facts,
  type PanelProps,
  ReadOnly,
  SelectField,
  speech,
  useLoaded,
} from '../../runtime/page/kit.ts';
import type { SerialAdaptersAnswer, SerialAssignment } from './contract.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);
const LOOK_MS = 5000;
const named = (protocol: string | undefined) => SCALE_PROTOCOLS.find((name) => name === protocol);

type AdapterProps = PanelProps & {
  readonly adapter: SerialAdaptersAnswer['adapters'][number];
};

function Adapter({ node, adapter }: AdapterProps) {
  const { port, serial, adapter: chip, key, protocol, unit, endpoint } = adapter;
  const [chosen, setChosen] = useState(named(protocol) ?? SCALE_PROTOCOLS[0]);
  const [said, setSaid] = useState(SAID_UNITS.find((name) => name === unit) ?? SAID_UNITS[0]);
  const unitless = PROTOCOLS[chosen].unitless === true;
  const store = async (at: string, assignment: SerialAssignment | null, done: string) => {
    await node.client.configure({ serial: { [at]: assignment } });
    await node.refresh();
    return done;
  };
  const attempt = async () => {
    const { tried, protocol: found } = await node.client.trySerial(port);
    setChosen(named(found) ?? chosen);
    const heard = tried.map((each) => `${each.protocol}: ${say(each.heard)}`).join('; ');
    if (found === undefined) throw new Error(`${say('notFound')} ${heard}`);
    return `${say('found', { protocol: found })} ${heard}`;
  };
  const hangs =
    protocol === undefined
      ? (endpoint ?? say('nothingAssigned'))
      : say('aScale', { protocol: unit === undefined ? protocol : `${protocol}, ${unit}` });
  return (
    <Card title={say('adapterAt', { device: deviceName(adapter), port })}>
      <Facts
        rows={[
          [say('chip'), chip],
          [say('serialNumber'), serial],
          [say('hangs'), <Badge tone={protocol === undefined ? 'warn' : 'good'}>{hangs}</Badge>],
        ]}
      />
      {!node.maySave && <ReadOnly />}
      {node.maySave && (
        <>
          <SelectField
            label={say('protocol')}
            value={chosen}
            options={SCALE_PROTOCOLS.map((name) => [name, name])}
            onValue={setChosen}
          />
          {unitless && (
            <SelectField
              label={say('unit')}
              value={said}
              options={SAID_UNITS.map((name) => [name, name])}
              onValue={setSaid}
            />
          )}
          <Button
            kind="main"
            about={chosen}
            onPress={() =>
              store(key ?? port, { kind: 'scale', protocol: chosen, ...(unitless && { unit: said }) }, say('assigned'))
            }
          >
            {say('assign')}
          </Button>
          {key === undefined ? (
            <Button confirm={say('tryAsk')} onPress={attempt}>
              {say('try')}
            </Button>
          ) : (
            <Button onPress={() => store(key, null, say('takenAway'))}>{say('takeAway')}</Button>
          )}
        </>
      )}
    </Card>
  );
}

function View({ node }: PanelProps) {
  const { data, fault } = useLoaded(node.client.serial, LOOK_MS);
  if (data === undefined) return <Asking fault={fault} />;
  return (
    <>
      <Card title={say('title')}>
        <p class="quiet">{data.adapters.length === 0 ? say('none') : say('idsSayNothing')}</p>
      </Card>
      {data.adapters.map((adapter) => (
        <Adapter key={adapter.port} node={node} adapter={adapter} />
      ))}
    </>
  );
}

export default definePanel({ id: 'serial', title: say('title'), order: 45, View });
