/**
 * One multicast DNS message, to and from bytes, over dns-packet (RFC 6762, 18). Reading is total: what is not a message
 * is undefined.
 */
import dnsPacket, {
  type Answer,
  type NsecAnswer,
  type Packet,
  type SrvAnswer,
  type StringAnswer,
  type TxtAnswer,
} from 'dns-packet';

/** A record of this node. `flush` is the cache-flush bit: nobody else has a record of this name and type (10.2). */
export type OwnRecord = (StringAnswer | SrvAnswer | TxtAnswer | NsecAnswer) & {
  readonly ttl: number;
  readonly flush: boolean;
};

export interface Question {
  readonly name: string;
  readonly type: string;
  /** The unicast-response bit (5.4). */
  readonly unicast: boolean;
}

export interface Message {
  readonly id: number;
  readonly response: boolean;
  /** More known answers follow (7.2). */
  readonly truncated: boolean;
  readonly questions: readonly Question[];
  readonly answers: readonly Answer[];
  /** Of a query: what its sender is about to claim (8.2). */
  readonly authorities: readonly Answer[];
  /** Of a response. */
  readonly additionals: readonly Answer[];
}

interface Part<T> {
  readonly encode: ((value: T) => Buffer) & { bytes: number };
  readonly decode: ((bytes: Buffer, offset: number) => T) & { bytes: number };
  encodingLength(value: T): number;
}
interface RecordData {
  encode(data: unknown): Buffer;
}
/** dns-packet exports these; its types leave them out. */
const { question, answer, record } = dnsPacket as unknown as {
  readonly question: Part<{ name: string; type: string }>;
  readonly answer: Part<Answer>;
  record(type: string): RecordData;
};

const HEADER_BYTES = 12;
/** Jumbo frame (17). */
const MAX_BYTES = 9000;
/** An Ethernet frame less the headers of IPv6 and UDP (17). */
const PACKET_BYTES = 1440;
const SMALLEST_QUESTION = 5;
const SMALLEST_RECORD = 11;
const MAX_RECORDS = 512;

const FLAG_RESPONSE = 0x8000;
const FLAG_TRUNCATED = 0x0200;
/** Opcode and response code: zero on whatever is not to be ignored (18.3 and 18.11). */
const FLAGS_OPCODE_RCODE = 0x780f;
const TOP_BIT = 0x8000;
const CLASS_IN = 1;
const CLASS_ANY = 255;

export function decode(bytes: Buffer): Message | undefined {
  if (bytes.length < HEADER_BYTES || bytes.length > MAX_BYTES) return undefined;
  const flags = bytes.readUInt16BE(2);
  if ((flags & FLAGS_OPCODE_RCODE) !== 0) return undefined;
  const [asked = 0, answered = 0, claimed = 0, added = 0] = [4, 6, 8, 10].map((at) => bytes.readUInt16BE(at));
  const records = answered + claimed + added;
  if (asked + records > MAX_RECORDS) return undefined;
  if (HEADER_BYTES + asked * SMALLEST_QUESTION + records * SMALLEST_RECORD > bytes.length) return undefined;

  let offset = HEADER_BYTES;
  const readQuestion = (): Question[] => {
    const { name, type } = question.decode(bytes, offset);
    offset += question.decode.bytes;
    const ofClass = bytes.readUInt16BE(offset - 2);
    const known = [CLASS_IN, CLASS_ANY].includes(ofClass & ~TOP_BIT);
    return known ? [{ name, type, unicast: (ofClass & TOP_BIT) !== 0 }] : [];
  };
  const readRecord = (): Answer => {
    const read = answer.decode(bytes, offset);
    offset += answer.decode.bytes;
    return read;
  };
  const times = <T>(count: number, read: () => T) => Array.from({ length: count }, read);
  try {
    const response = (flags & FLAG_RESPONSE) !== 0;
    return {
      id: bytes.readUInt16BE(0),
      response,
      truncated: (flags & FLAG_TRUNCATED) !== 0,
      questions: times(asked, readQuestion).flat(),
      answers: times(answered, readRecord),
      authorities: times(claimed, readRecord),
      // Of a query they say nothing that is needed here, and not every one can be read (EDNS options).
      additionals: response ? times(added, readRecord) : [],
    };
  } catch {
    return undefined;
  }
}

/** A query by which this node claims a name (8.1): any type, an answer by unicast is fine. */
export function encodeProbe(name: string, claimed: readonly OwnRecord[]): Buffer {
  const bytes = dnsPacket.encode({
    type: 'query',
    questions: [{ name, type: 'ANY' as 'A', class: 'IN' }],
    authorities: claimed.map((own) => ({ ...own, flush: false })),
  });
  const classAt = HEADER_BYTES + question.encodingLength({ name, type: 'ANY' }) - 2;
  bytes.writeUInt16BE(bytes.readUInt16BE(classAt) | TOP_BIT, classAt);
  return bytes;
}

const response = (packet: Packet): Buffer =>
  dnsPacket.encode({ ...packet, type: 'response', flags: dnsPacket.AUTHORITATIVE_ANSWER });

/** Responses of at most a frame each: all answers, and the additional records that the last of them has room for. */
export function encodeResponses(answers: readonly OwnRecord[], additionals: readonly OwnRecord[] = []): Buffer[] {
  const packets: Buffer[] = [];
  let held: OwnRecord[] = [];
  let size = HEADER_BYTES;
  for (const own of answers) {
    const bytes = answer.encodingLength(own);
    if (held.length > 0 && size + bytes > PACKET_BYTES) {
      packets.push(response({ answers: held }));
      held = [];
      size = HEADER_BYTES;
    }
    held.push(own);
    size += bytes;
  }
  const fitting = additionals.filter((own) => {
    const bytes = answer.encodingLength(own);
    if (size + bytes > PACKET_BYTES) return false;
    size += bytes;
    return true;
  });
  if (held.length > 0) packets.push(response({ answers: held, additionals: fitting }));
  return packets;
}

const LEGACY_TTL = 10;

/** To a resolver that knows no multicast DNS (6.7): its id and question, short TTLs, no cache-flush bit. */
export const encodeLegacy = (id: number, asked: readonly Question[], answers: readonly OwnRecord[]): Buffer =>
  response({
    id,
    questions: asked.map(({ name, type }) => ({ name, type: type as 'A', class: 'IN' })),
    answers: answers.map((own) => ({ ...own, flush: false, ttl: Math.min(own.ttl, LEGACY_TTL) })),
  });

const LOWER: ReadonlySet<string> = new Set(['PTR', 'SRV', 'NSEC']);

/** The data of a record as bytes, names in it uncompressed (8.2.1); undefined for what cannot be written. */
export function dataOf({ type, data }: { readonly type: string; readonly data?: unknown }): Buffer | undefined {
  try {
    return record(type).encode(data).subarray(2);
  } catch {
    return undefined;
  }
}

/** Class, type and data, as claims to a name are compared (8.2); undefined for what cannot be written. */
export function claimOf(own: Answer): Buffer | undefined {
  try {
    const bytes = answer.encode({ ...own, name: '.', flush: false } as Answer).subarray(1, answer.encode.bytes);
    const [type, ofClass, data] = [bytes.subarray(0, 2), bytes.subarray(2, 4), bytes.subarray(10)];
    return Buffer.concat([ofClass, type, data]);
  } catch {
    return undefined;
  }
}

/** The same for the same record, whatever its TTL and the case of its names. */
export function keyOf(own: Answer): string {
  const data = dataOf(own as OwnRecord)?.toString('latin1') ?? '';
  return `${own.name.toLowerCase()} ${own.type} ${LOWER.has(own.type) ? data.toLowerCase() : data}`;
}
