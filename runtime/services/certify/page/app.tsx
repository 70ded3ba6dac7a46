/** The page that certifies a device: which one, the questions, and the file. */
import { tours } from 'virtual:tours';
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Tour } from '../../../certify/tour.ts';
import { NodeClient, type Status } from '../../../client/client.ts';
import { Badge } from '../../../page/kit/badge.tsx';
import { Asking, Card } from '../../../page/kit/layout.tsx';
import { useLoaded } from '../../../page/kit/loaded.ts';
import { deviceName, nodeName } from '../../../page/kit/sentences.ts';
import { Languages } from '../../../page/languages.tsx';
import { Ended } from './ended.tsx';
import { CertifyRun, type Chosen, type RunState } from './run.ts';
import { Running } from './running.tsx';
import { say } from './say.ts';

/** How often the page looks which devices are there, until one is chosen. */
const LOOK_MS = 2000;

const client = new NodeClient({ url: '' });
const look = async () => {
  const [status, config] = await Promise.all([client.status(), client.config()]);
  return { status, config };
};

interface Device extends Pick<Chosen, 'tour' | 'endpoint'> {
  readonly name: string;
  readonly driven: boolean;
}

/** The devices that can be certified; that of the address alone, where it names one. */
function devicesIn(status: Status, only: string): Device[] {
  const all = status.peripherals.flatMap(({ endpoint, kind, condition, device }) => {
    const tour = tours.find((each: Tour) => each.kind === kind);
    const driven = condition === 'bound' || condition === 'silent';
    return tour === undefined ? [] : [{ tour, endpoint, driven, name: device === undefined ? '' : deviceName(device) }];
  });
  const named = all.filter(({ endpoint }) => endpoint === only);
  return named.length > 0 ? named : all;
}

function App() {
  const [only, setOnly] = useState(location.hash.slice(1));
  const [run, setRun] = useState<{ readonly of: CertifyRun; readonly chosen: Chosen }>();
  const [state, setState] = useState<RunState>();
  const { data, fault, reload } = useLoaded(look, run === undefined ? LOOK_MS : undefined);
  const name = nodeName(data?.status);
  useEffect(() => {
    const follow = () => setOnly(location.hash.slice(1));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  useEffect(() => {
    document.title = `${say('title')} · ${name}`;
  }, [name]);
  const begin = ({ tour, endpoint }: Device) => {
    const chosen = { tour, endpoint, recorded: data?.config.capture === true };
    const of = new CertifyRun(chosen, setState);
    setState(of.state);
    setRun({ of, chosen });
  };
  const again = () => {
    setRun(undefined);
    void reload();
  };
  const ended = state !== undefined && (state.certificate !== undefined || state.fault !== undefined);
  return (
    <>
      <header class="top">
        <div>
          <h1 translate={false}>{name}</h1>
          <p>
            <a href="/">{say('back')}</a>
          </p>
        </div>
        {/* Another language is another document: it would end what goes on. */}
        {(run === undefined || ended) && <Languages />}
      </header>
      <main id="main">
        <h2>{say('title')}</h2>
        {run === undefined || state === undefined ? (
          <Choice data={data} fault={fault} only={only} onBegin={begin} />
        ) : ended ? (
          <Ended certificate={state.certificate} fault={state.fault} onAgain={again} />
        ) : (
          <Running tour={run.chosen.tour} state={state} onEnd={() => run.of.end()} />
        )}
      </main>
    </>
  );
}

interface ChoiceProps {
  readonly data: Awaited<ReturnType<typeof look>> | undefined;
  readonly fault: string | undefined;
  readonly only: string;
  readonly onBegin: (device: Device) => void;
}

function Choice({ data, fault, only, onBegin }: ChoiceProps) {
  if (data === undefined) return <Asking fault={fault} />;
  const { status, config } = data;
  if (config.apiMode !== 'open') return <p>{say('locked')}</p>;
  const devices = devicesIn(status, only);
  return (
    <>
      <p>{say('intro')}</p>
      <p class="quiet">{say('what')}</p>
      {fault && <p class="bad">{fault}</p>}
      {devices.length === 0 && <p>{say('noDevice')}</p>}
      {devices.map((device) => (
        <Card key={device.endpoint} title={device.tour.name}>
          {device.name !== '' && <p translate={false}>{device.name}</p>}
          <p>
            <Badge tone={device.driven ? 'good' : 'plain'}>{say(device.driven ? 'driven' : 'notDriven')}</Badge>
          </p>
          {device.driven && (
            <div class="row">
              <button type="button" class="main" onClick={() => onBegin(device)}>
                {say('begin')}
              </button>
            </div>
          )}
        </Card>
      ))}
      {devices.some(({ endpoint }) => endpoint === only) && (
        <p>
          <a href="#all">{say('allDevices')}</a>
        </p>
      )}
    </>
  );
}

document.body.replaceChildren();
render(<App />, document.body);
