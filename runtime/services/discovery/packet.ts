/**
 * Encodes and decodes multicast DNS messages with dns-packet (RFC 6762, 18; numbers in brackets are its sections).
 * Decoding never throws: bytes that are no valid message give undefined.
 */
import dnsPacket, {
  type Answer,
  type NsecAnswer,
  type Packet,
  type SrvAnswer,
  type StringAnswer,
  type TxtAnswer,
} from 'dns-packet';

/** A record of this node, TTL in seconds. `flush`: cache-flush bit, no other host has this name and type (10.2). */
export type OwnRecord = (StringAnswer | SrvAnswer | TxtAnswer | NsecAnswer) & {
  readonly ttl: number;
  readonly flush: boolean;
};

/** A question of class IN or ANY; `type` as dns-packet names it (`PTR`). */
export interface Question {
  readonly name: string;
  readonly type: string;
  /** The unicast-response bit (5.4). */
  readonly unicast: boolean;
}

/** A decoded query or response. */
export interface Message {
  readonly id: number;
  readonly response: boolean;
  /** More known answers follow (7.2). */
  readonly truncated: boolean;
  readonly questions: readonly Question[];
  readonly answers: readonly Answer[];
  /** In a probe: the records that its sender proposes to claim (8.2). */
  readonly authorities: readonly Answer[];
  /** In a response: additional records; always empty for a query. */
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
/** Exports of dns-packet that its type declarations lack; read when they are used, as a start does not load it. */
const parts = dnsPacket as unknown as {
  readonly question: Part<{ name: string; type: string }>;
  readonly answer: Part<Answer>;
  record(type: string): RecordData;
};

const HEADER_BYTES = 12;
/** Largest message that is accepted (17). */
const MAX_BYTES = 9000;
/** An Ethernet frame less the headers of IPv6 and UDP (17). */
const PACKET_BYTES = 1440;
const SMALLEST_QUESTION = 5;
const SMALLEST_RECORD = 11;
const MAX_RECORDS = 512;

const FLAG_RESPONSE = 0x8000;
const FLAG_TRUNCATED = 0x0200;
/** Mask of opcode and response code: messages in which they are not zero are ignored (18.3 and 18.11). */
const FLAGS_OPCODE_RCODE = 0x780f;
const TOP_BIT = 0x8000;
const CLASS_IN = 1;
const CLASS_ANY = 255;

/** Decodes a datagram; undefined for anything but a well-formed query or response of at most 512 records. */
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
    const { name, type } = parts.question.decode(bytes, offset);
    offset += parts.question.decode.bytes;
    const ofClass = bytes.readUInt16BE(offset - 2);
    const known = [CLASS_IN, CLASS_ANY].includes(ofClass & ~TOP_BIT);
    return known ? [{ name, type, unicast: (ofClass & TOP_BIT) !== 0 }] : [];
  };
  const readRecord = (): Answer => {
    const read = parts.answer.decode(bytes, offset);
    offset += parts.answer.decode.bytes;
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
      // Those of a query are not needed, and dns-packet cannot read all of them (EDNS options).
      additionals: response ? times(added, readRecord) : [],
    };
  } catch {
    return undefined;
  }
}

/** A probe for `name` with the records that are claimed (8.1): type ANY, with the unicast-response bit. */
export function encodeProbe(name: string, claimed: readonly OwnRecord[]): Buffer {
  const bytes = dnsPacket.encode({
    type: 'query',
    questions: [{ name, type: 'ANY' as 'A', class: 'IN' }],
    authorities: claimed.map((own) => ({ ...own, flush: false })),
  });
  const classAt = HEADER_BYTES + parts.question.encodingLength({ name, type: 'ANY' }) - 2;
  bytes.writeUInt16BE(bytes.readUInt16BE(classAt) | TOP_BIT, classAt);
  return bytes;
}

const response = (packet: Packet): Buffer =>
  dnsPacket.encode({ ...packet, type: 'response', flags: dnsPacket.AUTHORITATIVE_ANSWER });

/** Responses that fit an Ethernet frame each, with all answers; the last one gets the additional records that fit. */
export function encodeResponses(answers: readonly OwnRecord[], additionals: readonly OwnRecord[] = []): Buffer[] {
  const packets: Buffer[] = [];
  let held: OwnRecord[] = [];
  let size = HEADER_BYTES;
  for (const own of answers) {
    const bytes = parts.answer.encodingLength(own);
    if (held.length > 0 && size + bytes > PACKET_BYTES) {
      packets.push(response({ answers: held }));
      held = [];
      size = HEADER_BYTES;
    }
    held.push(own);
    size += bytes;
  }
  const fitting = additionals.filter((own) => {
    const bytes = parts.answer.encodingLength(own);
    if (size + bytes > PACKET_BYTES) return false;
    size += bytes;
    return true;
  });
  if (held.length > 0) packets.push(response({ answers: held, additionals: fitting }));
  return packets;
}

const LEGACY_TTL = 10;

/** A response to a legacy resolver (6.7): repeats its id and questions; TTLs of at most 10 s, no cache-flush bit. */
export const encodeLegacy = (id: number, asked: readonly Question[], answers: readonly OwnRecord[]): Buffer =>
  response({
    id,
    questions: asked.map(({ name, type }) => ({ name, type: type as 'A', class: 'IN' })),
    answers: answers.map((own) => ({ ...own, flush: false, ttl: Math.min(own.ttl, LEGACY_TTL) })),
  });

const LOWER: ReadonlySet<string> = new Set(['PTR', 'SRV', 'NSEC']);

/** The data of a record as bytes, with uncompressed names (8.2.1); undefined if it cannot be encoded. */
export function dataOf({ type, data }: { readonly type: string; readonly data?: unknown }): Buffer | undefined {
  try {
    return parts.record(type).encode(data).subarray(2);
  } catch {
    return undefined;
  }
}

/**
 * Class, type and data of a record as bytes, the form that tie-breaks compare (8.2); undefined if it cannot be encoded.
 */
export function claimOf(own: Answer): Buffer | undefined {
  try {
    const bytes = parts.answer
      .encode({ ...own, name: '.', flush: false } as Answer)
      .subarray(1, parts.answer.encode.bytes);
    const [type, ofClass, data] = [bytes.subarray(0, 2), bytes.subarray(2, 4), bytes.subarray(10)];
    return Buffer.concat([ofClass, type, data]);
  } catch {
    return undefined;
  }
}

/** A key that is equal for equal records, ignoring the TTL and the case of names. */
export function recordKey(own: Answer): string {
  const data = dataOf(own as OwnRecord)?.toString('latin1') ?? '';
  return `${own.name.toLowerCase()} ${own.type} ${LOWER.has(own.type) ? data.toLowerCase() : data}`;
}
