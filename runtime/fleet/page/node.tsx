/** One node: how it is, what changed, what came of its jobs. */
import { Badge, Condition } from '../../page/kit/badge.tsx';
import { Card, Facts, Table } from '../../page/kit/layout.tsx';
import { duration, faultWords, kindName, slotName } from '../../page/kit/sentences.ts';
import type { NodeDetail } from '../nodes/contract.ts';
import { type Address, linkTo } from './address.ts';
import { useAsked } from './api.ts';
import { Days, Hours } from './days.tsx';
import { count, fullTime, Shown, SiteLink, States, Text, When } from './pieces.tsx';
import { Leave, Place } from './place.tsx';
import { say, wordOf } from './say.ts';

const LOOK_MS = 10_000;

/** All that is known of a node. */
export function NodeView({ address: { subject } }: { address: Address }) {
  const asked = useAsked<NodeDetail>(`nodes/${encodeURIComponent(subject)}`, LOOK_MS);
  return (
    <Shown asked={asked}>
      {(node) => (
        <>
          <State node={node} />
          <Place key={node.id} node={node} reload={asked.reload} />
          <Days id={node.id} />
          <Hours id={node.id} />
          <Devices node={node} />
          {node.crash !== null && <Crash node={node} />}
          <Transitions node={node} />
          <Jobs node={node} />
          <Oddities oddities={node.oddities} />
          <Leave node={node} />
        </>
      )}
    </Shown>
  );
}

type Part = { readonly node: NodeDetail };

const State = ({ node }: Part) => (
  <Card title={say('condition')}>
    <p class="state">
      <States states={node.states} />
    </p>
    <Facts
      rows={[
        [say('name'), node.name === '' ? undefined : <Text key="name">{node.name}</Text>],
        [say('site'), node.site === null ? undefined : <SiteLink key="site" site={node.site} />],
        [say('lastSeen'), <When key="seen" at={node.lastSeen} />],
        [say('firstSeen'), fullTime(node.firstSeen)],
        [say('version'), <Text key="version">{`${node.firmwareVersion} ${slotName(node.slot)}`.trim()}</Text>],
        [say('variant'), <Text key="variant">{node.variant}</Text>],
        [say('address'), <Text key="address">{node.address}</Text>],
        [say('running'), duration(node.uptimeSeconds * 1000)],
        [
          say('updates'),
          node.updatePolicy === null ? undefined : (say.find(`policy_${node.updatePolicy}`) ?? node.updatePolicy),
        ],
        [say('paperOutSince'), node.paperOutSince === null ? undefined : <When key="paper" at={node.paperOutSince} />],
        [say('heldSince'), node.custodySince === null ? undefined : <When key="held" at={node.custodySince} />],
        [say('heartbeats'), count(node.heartbeats)],
        ...Object.entries(node.counters).map(
          ([name, value]) => [<code key={name}>{name}</code>, String(value)] as never,
        ),
      ]}
    />
    <p>
      <a href={linkTo('alerts', '', { subject: node.id })}>{say('alertsOfNode')}</a>
    </p>
  </Card>
);

interface PrinterPart {
  readonly endpoint?: string;
  readonly known?: boolean;
  readonly online?: boolean;
  readonly paperOut?: boolean;
  readonly paperLow?: boolean;
  readonly coverOpen?: boolean;
}
interface PeripheralPart {
  readonly endpoint?: string;
  readonly kind?: string;
  readonly condition?: string;
}

/** What a printer says of itself; nothing is not the same as nothing wrong. */
function PrinterState({ printer }: { printer: PrinterPart }) {
  if (printer.known !== true) return <Badge>{say('unknown')}</Badge>;
  const wrong = [
    printer.online === false && say('printerOffline'),
    printer.paperOut === true && say('paperOut'),
    printer.coverOpen === true && say('coverOpen'),
  ].filter((each) => each !== false);
  if (wrong.length > 0) return <Badge tone="bad">{wrong.join(', ')}</Badge>;
  return printer.paperLow === true ? (
    <Badge tone="warn">{say('paperLow')}</Badge>
  ) : (
    <Badge tone="good">{say('fine')}</Badge>
  );
}

function Devices({ node }: Part) {
  const peripherals = node.peripherals as readonly PeripheralPart[];
  const printers = node.printers as readonly PrinterPart[];
  const endpoints = [...new Set([...peripherals, ...printers].map(({ endpoint = '' }) => endpoint))];
  return (
    <Card title={say('devices')}>
      <Table
        caption={say('devices')}
        head={[say('endpoint'), say('kind'), say('condition')]}
        rows={endpoints.map((endpoint) => {
          const peripheral = peripherals.find((each) => each.endpoint === endpoint);
          const printer = printers.find((each) => each.endpoint === endpoint);
          return {
            key: endpoint,
            cells: [
              <Text key="endpoint">{endpoint}</Text>,
              <Text key="kind">{kindName(peripheral?.kind ?? '')}</Text>,
              <span key="states" class="states">
                {peripheral !== undefined && <Condition condition={peripheral.condition ?? ''} />}
                {printer !== undefined && <PrinterState printer={printer} />}
              </span>,
            ],
          };
        })}
        empty={say('noDevices')}
      />
    </Card>
  );
}

const Crash = ({ node: { crash, crashAt, crashes } }: Part) => (
  <Card title={say('lastCrash')}>
    <Facts
      rows={[
        [say('reason'), <Text key="reason">{wordOf(crash?.reason)}</Text>],
        [say('heardOf'), crashAt === null ? undefined : <When key="heard" at={crashAt} />],
        [say('running'), crash?.uptimeSeconds === undefined ? undefined : duration(crash.uptimeSeconds * 1000)],
        [say('boot'), crash?.bootId === undefined ? undefined : <Text key="boot">{crash.bootId}</Text>],
        [say('lastCrashes'), crashes.map(fullTime).join('; ')],
      ]}
    />
  </Card>
);

const Transitions = ({ node }: Part) => (
  <Card title={say('changes')}>
    <Table
      caption={say('changes')}
      head={[say('time'), say('what'), say('endpoint'), say('before'), say('after')]}
      rows={node.transitions.map((each, at) => ({
        key: at,
        cells: [
          fullTime(each.at),
          say.find(`change_${each.kind}`) ?? each.kind,
          <Text key="endpoint">{each.endpoint ?? ''}</Text>,
          <Text key="before">{wordOf(each.before)}</Text>,
          <Text key="after">{wordOf(each.after)}</Text>,
        ],
      }))}
      empty={say('none')}
    />
  </Card>
);

const Jobs = ({ node }: Part) => (
  <Card title={say('jobs')}>
    <Table
      caption={say('jobs')}
      head={[say('time'), say('job'), say('endpoint'), say('outcome')]}
      rows={node.jobs.map((job, at) => ({
        key: at,
        cells: [
          fullTime(job.at),
          <Text key="id">{job.commandId}</Text>,
          <Text key="endpoint">{job.endpoint}</Text>,
          <div key="outcome">
            <Badge tone={job.ok ? 'good' : 'bad'}>{say(job.ok ? 'done' : 'failed')}</Badge>
            {job.error !== undefined && <p class="quiet">{faultWords(job.error) ?? job.error}</p>}
          </div>,
        ],
      }))}
      empty={say('noJobs')}
    />
  </Card>
);

/** What was wrong with requests. */
export const Oddities = ({ oddities }: { oddities: NodeDetail['oddities'] }) =>
  oddities.length === 0 ? null : (
    <Card title={say('oddities')}>
      <Table
        caption={say('oddities')}
        head={[say('what'), say('node'), say('address'), say('count'), say('lastTime'), say('detail')]}
        rows={oddities.map((each) => ({
          key: `${each.kind} ${each.node} ${each.address}`,
          cells: [
            say.find(`oddity_${each.kind}`) ?? each.kind,
            <Text key="node">{each.node}</Text>,
            <Text key="address">{each.address}</Text>,
            count(each.count),
            <When key="last" at={each.lastAt} />,
            <Text key="detail">{each.detail}</Text>,
          ],
        }))}
        empty={say('none')}
      />
    </Card>
  );
