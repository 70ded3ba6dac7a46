/** The records of one link, and which of them answer a question (RFC 6762, 6; RFC 6763). Pure functions. */
import type { NetworkLink } from '../../bindings/network.ts';
import type { Offer } from './identity.ts';
import { dataOf, type OwnRecord, type Question } from './packet.ts';

/** TTLs in seconds: of records that contain a host name, and of all others (RFC 6762, 10). */
const HOST_TTL = 120;
const OTHER_TTL = 4500;
const SERVICE_TYPES = '_services._dns-sd._udp.local';

/** A service with its full name. */
export interface Service extends Offer {
  /** For example `EPSON TM-T88V node-1a2b3c4d._pdl-datastream._tcp.local`. */
  readonly name: string;
}

const typeName = ({ type }: Offer): string => `${type}.local`;
/** `<instance>.<type>.local`. */
export const serviceName = (instance: string, offer: Offer): string => `${instance}.${typeName(offer)}`;

/** The address records (A, AAAA) of the host on this link. */
export const hostRecords = (host: string, link: NetworkLink): OwnRecord[] =>
  link.addresses.map(({ family, address }) => ({
    name: host,
    type: family === 4 ? 'A' : 'AAAA',
    ttl: HOST_TTL,
    flush: true,
    data: address,
  }));

const reverseRecords = (host: string, link: NetworkLink): OwnRecord[] =>
  link.addresses.map((address) => ({
    name: reverseName(address),
    type: 'PTR',
    ttl: HOST_TTL,
    flush: true,
    data: host,
  }));

function reverseName({ family, address }: NetworkLink['addresses'][number]): string {
  if (family === 4) return `${address.split('.').reverse().join('.')}.in-addr.arpa`;
  const nibbles = dataOf({ type: 'AAAA', data: address })?.toString('hex') ?? '';
  return `${[...nibbles].reverse().join('.')}.ip6.arpa`;
}

/** The SRV and TXT records of a service. */
export const serviceRecords = (service: Service, host: string): OwnRecord[] => {
  const { name, port, txt } = service;
  // A service without values has one empty string (RFC 6763, 6.1).
  const strings = txt.length === 0 ? [''] : txt;
  return [
    { name, type: 'SRV', ttl: HOST_TTL, flush: true, data: { priority: 0, weight: 0, port, target: host } },
    { name, type: 'TXT', ttl: OTHER_TTL, flush: true, data: strings.map((text) => Buffer.from(text)) },
  ];
};

/**
 * The PTR records by which a service is found. Other hosts have records of these names, so without the cache-flush bit.
 */
const pointers = (service: Service): OwnRecord[] => [
  { name: typeName(service), type: 'PTR', ttl: OTHER_TTL, flush: false, data: service.name },
  ...(service.subtypes ?? []).map((subtype) => ({
    name: `${subtype}._sub.${typeName(service)}`,
    type: 'PTR' as const,
    ttl: OTHER_TTL,
    flush: false,
    data: service.name,
  })),
  { name: SERVICE_TYPES, type: 'PTR', ttl: OTHER_TTL, flush: false, data: typeName(service) },
];

/** Address and reverse-mapping records of the host on this link. */
export const hostZone = (host: string, link: NetworkLink): OwnRecord[] => [
  ...hostRecords(host, link),
  ...reverseRecords(host, link),
];

/** All records of a service. */
export const serviceZone = (service: Service, host: string): OwnRecord[] => [
  ...pointers(service),
  ...serviceRecords(service, host),
];

/** The goodbye records of a service; without the one of its type, which other services may still have (RFC 6763, 9). */
export const farewell = (service: Service, host: string): OwnRecord[] =>
  serviceZone(service, host)
    .filter(({ name }) => name !== SERVICE_TYPES)
    .map(goodbye);

/** The record with TTL 0, which removes it from caches (RFC 6762, 10.1). */
export const goodbye = (own: OwnRecord): OwnRecord => ({ ...own, ttl: 0 });

const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** The records that answer a question; an NSEC record if the name is ours but has none of that type (RFC 6762, 6.1). */
export function answersTo({ name, type }: Question, zone: readonly OwnRecord[]): OwnRecord[] {
  const named = zone.filter((own) => sameName(own.name, name));
  const found = named.filter((own) => type === 'ANY' || own.type === type);
  const [first] = named;
  return found.length > 0 || first === undefined || !first.flush ? found : [denial(first.name, named)];
}

const denial = (name: string, named: readonly OwnRecord[]): OwnRecord => ({
  name,
  type: 'NSEC',
  ttl: HOST_TTL,
  flush: true,
  data: { nextDomain: name, rrtypes: [...new Set(named.map((own) => own.type))] },
});

/** The additional records for answers: what a client would query next (RFC 6762, 6.1 and 7; RFC 6763, 12). */
export function additionalsTo(answers: readonly OwnRecord[], zone: readonly OwnRecord[]): OwnRecord[] {
  const wanted = new Set<string>();
  const under = (name: string) => zone.filter((own) => own.flush && sameName(own.name, name));
  const follow = (own: OwnRecord): OwnRecord[] => {
    if (own.type === 'PTR' && !own.flush) {
      const direct = under(own.data);
      return [...direct, ...direct.flatMap(follow)];
    }
    if (own.type === 'SRV') return withDenial(own.data.target);
    return own.type === 'A' || own.type === 'AAAA' ? withDenial(own.name) : [];
  };
  const withDenial = (name: string) => {
    const named = under(name);
    return named.length === 0 ? [] : [...named, denial(name, named)];
  };
  return answers.flatMap(follow).filter((own) => {
    const key = `${own.name} ${own.type} ${JSON.stringify(own.data)}`;
    const twice = wanted.has(key) || answers.some((given) => given === own);
    wanted.add(key);
    return !twice;
  });
}
