/** What GET /status says in numbers: no receipt, no address, no name that people gave. */
import { performance as ofProcess } from 'node:perf_hooks';
import type { Metric, Sample } from '../../http/exposition.ts';
import type { Node } from '../../kernel/node.ts';

const CONDITIONS = ['never_seen', 'no_channel', 'gone', 'silent', 'bound'] as const;

type Fields = Readonly<Record<string, unknown>>;

/** The parts of other rooms that become numbers, where the image has them. */
interface Parts {
  readonly printers?: readonly Fields[];
  readonly counters?: readonly { readonly endpoint: string; readonly sinceStart: Readonly<Record<string, number>> }[];
  readonly webhook?: Fields;
  readonly raw?: Fields;
  readonly jobs?: Fields;
}

/** Fields of `printers[]`; all but the first are known only where it is true. */
const PRINTER = [
  ['known', 'Whether the printer tells how it is; of one that does not, there is nothing else.'],
  ['online', 'Whether the printer is ready.'],
  ['paperOut', 'Whether the paper is out.'],
  ['paperLow', 'Whether the paper is nearly out.'],
  ['coverOpen', 'Whether the cover is open.'],
  ['drawerOpen', 'Whether the cash drawer is open.'],
] as const;
const RAW = {
  connections: 'Connections to port 9100.',
  bytes: 'Bytes of port 9100 that were passed on.',
  pulsesDropped: 'Drawer pulses of port 9100 that were dropped.',
  realtimeDropped: 'Real-time commands of port 9100 that were dropped.',
  settingsDropped: 'Commands of port 9100 that would change the printer for good, dropped.',
  refused: 'Connections to port 9100 that were turned away.',
} as const;

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const metric = (name: string, type: Metric['type'], help: string, samples: readonly Sample[]): Metric => ({
  ...{ name: `tillnode_${name}`, type, help, samples },
});
/** No sample where the value is no number, as in an image without the room. */
const sample = (value: unknown, labels: Sample[0] = {}): Sample[] =>
  typeof value === 'number' || typeof value === 'boolean' ? [[labels, Number(value)]] : [];

/** Whether this is a fault, which may be proven where nothing else is known. */
const isProven = (field: (typeof PRINTER)[number][0], value: unknown): boolean => field !== 'online' && value === true;

const ofPrinters = (printers: readonly Fields[]): Metric[] =>
  PRINTER.map(([field, help]) =>
    metric(
      `printer_${snake(field)}`,
      'gauge',
      help,
      printers
        .filter((printer) => printer['known'] === true || field === 'known' || isProven(field, printer[field]))
        .flatMap((printer) => sample(printer[field], { endpoint: String(printer['endpoint']) })),
    ),
  );

function ofCounters(counters: NonNullable<Parts['counters']>): Metric[] {
  const counted = [...new Set(counters.flatMap(({ sinceStart }) => Object.keys(sinceStart)))];
  return counted.map((what) =>
    metric(
      `${what}_total`,
      'counter',
      `Counted since the start for the device of each endpoint: ${what}.`,
      counters.flatMap(({ endpoint, sinceStart }) => sample(sinceStart[what], { endpoint })),
    ),
  );
}

/** The metrics of a node; the ratio of its event loop is of the time since its process started. */
export function metricsOf(node: Node): Metric[] {
  const { printers = [], counters = [], webhook = {}, raw = {}, jobs = {} } = node.status() as Parts;
  const { variant, version } = node.image;
  const { user, system } = process.cpuUsage();
  const endpoints = node
    .endpoints()
    .flatMap(({ declaration: { id: endpoint, kind }, condition: is }) =>
      CONDITIONS.flatMap((condition) => sample(is === condition, { endpoint, kind, condition })),
    );
  return [
    metric('info', 'gauge', 'The firmware that runs.', sample(1, { variant, version, slot: node.bindings.boot.slot })),
    metric('uptime_seconds', 'gauge', 'Time since the start.', sample((performance.now() - node.startedAt) / 1000)),
    metric('restarting', 'gauge', 'Whether commands are refused as the node restarts.', sample(node.restarting)),
    metric('endpoint_condition', 'gauge', 'The condition of each endpoint: 1 for the one it is in.', endpoints),
    ...ofPrinters(printers),
    ...ofCounters(counters),
    metric('jobs_uncertain', 'gauge', 'Jobs of which nobody has said what the paper shows.', sample(jobs['uncertain'])),
    ...Object.entries(RAW).map(([field, help]) =>
      metric(`raw_${snake(field)}_total`, 'counter', help, sample(raw[field])),
    ),
    metric('webhook_delivered_total', 'counter', 'Webhook events that were taken.', sample(webhook['delivered'])),
    metric('webhook_dropped_total', 'counter', 'Webhook events that were given up.', sample(webhook['dropped'])),
    metric('webhook_queued', 'gauge', 'Webhook events that wait.', sample(webhook['queued'])),
    metric(
      'usb_rejections',
      'gauge',
      'Latest rejections of USB devices, 16 at most.',
      sample(node.ledger.rejections.length),
    ),
    metric('process_resident_memory_bytes', 'gauge', 'Memory of the process.', sample(process.memoryUsage.rss())),
    metric(
      'process_memory_left_bytes',
      'gauge',
      'Memory that the node may still take.',
      sample(node.bindings.host.memoryLeft()),
    ),
    metric('process_cpu_seconds_total', 'counter', 'Processor time of the process.', sample((user + system) / 1e6)),
    metric(
      'event_loop_busy_ratio',
      'gauge',
      'How much of the time since the start the process was busy.',
      sample(ofProcess.eventLoopUtilization().utilization),
    ),
  ];
}
