/** A responder on links that are only said to be there: what it sends is kept, what it hears is made up. */
import dnsPacket, { type Answer, type Packet } from 'dns-packet';
import { onTestFinished, vi } from 'vitest';
import type { NetworkLink } from '../../../runtime/bindings/network.ts';
import type { Claim } from '../../../runtime/services/discovery/double.ts';
import type { Identity } from '../../../runtime/services/discovery/identity.ts';
import { decode, type Message } from '../../../runtime/services/discovery/packet.ts';
import { Responder } from '../../../runtime/services/discovery/responder.ts';
import type { Hear, OpenWire, Source } from '../../../runtime/services/discovery/wire.ts';

export const LAN: NetworkLink = {
  name: 'lan0',
  mac: '02:00:00:00:00:01',
  addresses: [
    { family: 4, address: '192.0.2.2', prefix: 24 },
    { family: 6, address: 'fe80::2', prefix: 64, scope: 2 },
  ],
};
export const WLAN: NetworkLink = {
  name: 'wlan0',
  mac: '02:00:00:00:00:02',
  addresses: [{ family: 4, address: '198.51.100.2', prefix: 24 }],
};
export const PEER: Source = { address: '192.0.2.9', port: 5353 };
export const HOST = 'node-1a2b3c4d.local';
export const NAME = 'Receipt Printer node-1a2b3c4d';
export const HTTP = `${NAME}._http._tcp.local`;
export const PDL = `${NAME}._pdl-datastream._tcp.local`;
export const IDENTITY: Identity = {
  instance: NAME,
  offers: [
    { type: '_http._tcp', port: 80, txt: ['path=/'] },
    { type: '_pdl-datastream._tcp', port: 9100, txt: ['txtvers=1', 'ty=Generic'] },
  ],
};

/** A message that went out. */
export interface Sent extends Message {
  readonly link: string;
  readonly at: number;
  readonly bytes: Buffer;
  /** Undefined: to the group. */
  readonly to?: Source;
}

export class FakeWire {
  readonly sent: Sent[] = [];
  links: readonly NetworkLink[] = [];
  /** Nothing can be sent. */
  broken = false;
  /** This link cannot be opened. */
  shut: string | undefined;
  hear: Hear = () => {};
  closed = false;

  readonly open: OpenWire = (hear) => {
    this.hear = hear;
    const keep = (link: NetworkLink, bytes: Buffer, to?: Source) => {
      const message = decode(bytes);
      if (message === undefined) throw new Error('what was sent is no message');
      this.sent.push({ ...message, link: link.name, at: performance.now(), bytes, ...(to && { to }) });
    };
    return {
      use: async (links) => {
        this.links = links.filter(({ name }) => name !== this.shut);
        return this.links;
      },
      multicast: async (link, bytes) => {
        if (this.broken) throw new Error('network is unreachable');
        keep(link, bytes);
      },
      unicast: keep,
      close: async () => {
        this.closed = true;
      },
    };
  };

  /** What went out since the last call. */
  take(): Sent[] {
    return this.sent.splice(0);
  }

  say(packet: Packet, from: Source = PEER): void {
    this.hear(dnsPacket.encode(packet), from);
  }

  ask(name: string, type: string, { known = [], flags = 0, from = PEER, unicast = false }: Asked = {}): void {
    const bytes = dnsPacket.encode({
      type: 'query',
      id: 7,
      flags,
      questions: [{ name, type: type as 'A' }],
      answers: known,
    });
    const classAt = 12 + Buffer.byteLength(name) + 2 + 2;
    if (unicast) bytes.writeUInt16BE(0x8001, classAt);
    this.hear(bytes, from);
  }
}

export interface Asked {
  readonly known?: Answer[];
  readonly flags?: number;
  readonly from?: Source;
  readonly unicast?: boolean;
}

export const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** Time passes only as the test says. */
export function fakeTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** A responder that has not been given a link yet. */
export function createResponder() {
  fakeTime();
  const wire = new FakeWire();
  const names: (string | undefined)[] = [];
  const doubles: Claim[] = [];
  const responder = new Responder({
    open: wire.open,
    hostLabel: 'node-1a2b3c4d',
    onHostName: (name) => names.push(name),
    onDouble: (claim) => doubles.push(claim),
  });
  return { wire, responder, names, doubles };
}

/** A responder whose names are its own, and that has been quiet for a while. */
export async function settled(links: readonly NetworkLink[] = [LAN], identity = IDENTITY) {
  const made = createResponder();
  await made.responder.use(links);
  void made.responder.show(identity);
  await wait(10_000);
  made.wire.take();
  return made;
}

/** `NAME TYPE` of each record. */
export const list = (records: readonly Answer[]): string[] => records.map(({ name, type }) => `${name} ${type}`);
export const find = (sent: readonly Sent[], type: string, name?: string) =>
  sent
    .flatMap(({ answers }) => answers)
    .find((own) => own.type === type && (name === undefined || own.name === name)) as
    | (Answer & { ttl: number; flush: boolean; data: unknown })
    | undefined;
