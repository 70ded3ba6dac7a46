/** Discovery: from a switch of profile to its being seen, and what a flood of hostile datagrams costs. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import dnsPacket from 'dns-packet';
import { createNetwork } from '../netns.ts';
import { until } from '../node.ts';
import { startAvahi } from '../services/discovery/avahi.ts';
import { needTools } from '../tools.ts';
import { hostile } from './hostile.ts';
import { type Entry, median } from './measure.ts';

const SWITCHES = 5;
const FLOODS = 5;
/** Probing takes 0.75 s of it (RFC 6762, 8.1); the rest is what somebody waits without wondering. */
const SWITCH_MS = 2000;
const GENERIC = 'Receipt Printer';
const EPSON = 'EPSON TM-T88V';

export async function discoveryBench(bundles: string): Promise<Entry[]> {
  const missing = needTools(['avahi-daemon', 'avahi-browse', 'dbus-daemon', 'ip']);
  if (missing !== undefined) throw new Error(missing);
  const network = createNetwork(2);
  const [client, host] = network.hosts;
  if (client === undefined || host === undefined) throw new Error('no network');
  const avahi = await startAvahi(client, 'elsewhere');
  try {
    const node = host.spawn(process.execPath, [`${bundles}/discovery-server.mjs`]);
    const seen = avahi.follow('_pdl-datastream._tcp');
    const coming = (instance: string, from = 0) =>
      until(() => seen.slice(from).some((line) => line.startsWith(`+ ${instance}`)));
    await coming(GENERIC);
    const times: number[] = [];
    for (let round = 0; round < SWITCHES; round += 1) {
      const from = seen.length;
      const asked = performance.now();
      node.kill('SIGUSR2');
      await coming(round % 2 === 0 ? EPSON : GENERIC, from);
      times.push(performance.now() - asked);
      // The second announcement of the name is out.
      await new Promise((resolve) => setTimeout(resolve, 1200));
    }
    const ms = median(times);
    const spent: number[] = [];
    const alone: number[] = [];
    for (let round = 0; round < FLOODS; round += 1) {
      const before = secondsOf(node.pid ?? 0);
      await once(client.spawn(process.execPath, [`${bundles}/flood-server.mjs`, client.address]), 'exit');
      spent.push(secondsOf(node.pid ?? 0) - before);
      alone.push(parsing());
    }
    const [ours, theirs] = [median(spent), median(alone)];
    return [
      { name: 'mdns.switch', ratio: ms / SWITCH_MS, ours: ms, theirs: SWITCH_MS, unit: 'ms' },
      { name: 'mdns.flood', ratio: ours / theirs, ours, theirs, unit: 's' },
    ];
  } finally {
    await network.remove();
    avahi.remove();
  }
}

const TICKS = Number(execFileSync('getconf', ['CLK_TCK']).toString());

/** Processor seconds of a process so far (proc(5), stat: utime and stime). */
function secondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** Processor seconds of dns-packet alone for the same datagrams. */
function parsing(): number {
  const datagrams = hostile();
  const before = process.cpuUsage();
  for (const datagram of datagrams) {
    try {
      dnsPacket.decode(datagram);
    } catch {
      // Most are no messages.
    }
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
