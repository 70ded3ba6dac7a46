/** IPP messages (RFC 8010, 3): requests are read, responses are written. What is printed follows a request's attributes. */

/** Delimiters of groups, and tags of values (RFC 8010, 3.5). */
export const GROUP = { operation: 0x01, job: 0x02, end: 0x03, printer: 0x04, unsupported: 0x05 } as const;
const TAG = {
  ...{ unsupported: 0x10, unknown: 0x12, noValue: 0x13, integer: 0x21, boolean: 0x22, enumerated: 0x23 },
  ...{ octets: 0x30, date: 0x31, resolution: 0x32, range: 0x33, collection: 0x34, endCollection: 0x37 },
  ...{ textWithLanguage: 0x35, nameWithLanguage: 0x36, text: 0x41, name: 0x42, keyword: 0x44, uri: 0x45 },
  ...{ charset: 0x47, language: 0x48, mimeType: 0x49, memberName: 0x4a },
} as const;

/** A range of integers; both ends belong to it. */
export interface IntegerRange {
  readonly low: number;
  readonly high: number;
}
/** The members of a collection, by name. */
export type Collection = ReadonlyMap<string, Values>;
/** A value as it is read; octets for a syntax that nobody here asks for, undefined for one without a value. */
export type Value = number | boolean | string | IntegerRange | Collection | Uint8Array | undefined;
/** The values of an attribute that was read. */
export type Values = readonly Value[];

/** A request: its head and its groups, in order. */
export interface IppRequest {
  readonly version: { readonly major: number; readonly minor: number };
  readonly operation: number;
  readonly requestId: number;
  readonly groups: readonly { readonly tag: number; readonly attributes: Collection }[];
}

/** Bytes before the first group: version, operation, request id. */
export const HEAD_BYTES = 8;
/** Most bytes of the attributes of a request; those of real clients take a few hundred. */
export const MOST_ATTRIBUTE_BYTES: number = 64 * 1024;
/** Deepest collection in a collection; media-col has one in it. */
const MOST_DEPTH = 8;

/** The bytes are no IPP message. */
export class IppError extends Error {}

/** The same bytes, to be read as numbers. */
export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * Where the attributes in `bytes` end, looking from the tag at `from` on (`HEAD_BYTES` at first): `whole` and the index
 * behind them, or the tag to look on from when more bytes are there.
 */
export function endOfAttributes(bytes: Uint8Array, from: number): { readonly whole: boolean; readonly at: number } {
  let at = from;
  while (at < bytes.length) {
    const tag = bytes[at]!;
    if (tag === GROUP.end) return { whole: true, at: at + 1 };
    const next = tag < TAG.unsupported ? at + 1 : endOfValue(bytes, at);
    if (next > bytes.length) break;
    at = next;
  }
  return { whole: false, at };
}

/** Behind the value whose tag is at `at`; beyond the bytes where they end before. */
function endOfValue(bytes: Uint8Array, at: number): number {
  const length = (where: number) => ((bytes[where] ?? 0) << 8) | (bytes[where + 1] ?? 0);
  const value = at + 3 + length(at + 1);
  return value + 2 > bytes.length ? Number.POSITIVE_INFINITY : value + 2 + length(value);
}

/** Reads a request, whose attributes are whole. Throws an IppError. */
export function readRequest(bytes: Uint8Array): IppRequest {
  const view = viewOf(bytes);
  const groups: { tag: number; attributes: Map<string, Value[]> }[] = [];
  const reader = new Reader(bytes, HEAD_BYTES);
  for (let tag = reader.tag(); tag !== GROUP.end; tag = reader.tag()) {
    if (tag < TAG.unsupported) groups.push({ tag, attributes: new Map() });
    else reader.attribute(tag, groups.at(-1)?.attributes);
  }
  return {
    version: { major: bytes[0]!, minor: bytes[1]! },
    operation: view.getUint16(2),
    requestId: view.getInt32(4),
    groups,
  };
}

class Reader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at: number;
  #last: Value[] | undefined;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
    this.#at = at;
  }

  tag(): number {
    this.#need(1);
    this.#at += 1;
    return this.#bytes[this.#at - 1]!;
  }

  /** Reads one value into a group; one without a name is a further value of the attribute before it (3.1.5). */
  attribute(tag: number, group: Map<string, Value[]> | undefined): void {
    const name = this.#text();
    if (group === undefined) throw new IppError('an attribute stands before the first group');
    if (name !== '') {
      if (group.has(name)) throw new IppError(`the attribute ${name} came twice`);
      this.#last = [];
      group.set(name, this.#last);
    } else if (group.size === 0) throw new IppError('the first value of a group has no name');
    this.#last?.push(this.#value(tag, 0));
  }

  #value(tag: number, depth: number): Value {
    if (tag !== TAG.collection) return readValue(tag, this.#octets());
    this.#octets();
    if (depth === MOST_DEPTH) throw new IppError('collections are too deep');
    const members = new Map<string, Value[]>();
    let member: Value[] | undefined;
    for (let next = this.tag(); next !== TAG.endCollection; next = this.tag()) {
      if (this.#text() !== '') throw new IppError('a collection does not end');
      if (next === TAG.memberName) {
        member = [];
        members.set(latin1(this.#octets()), member);
      } else if (member === undefined || next < TAG.unsupported) throw new IppError('a member has no name');
      else member.push(this.#value(next, depth + 1));
    }
    this.#text();
    this.#octets();
    return members;
  }

  #text(): string {
    return latin1(this.#octets());
  }

  #octets(): Uint8Array {
    this.#need(2);
    const length = this.#view.getUint16(this.#at);
    this.#need(2 + length);
    const from = this.#at + 2;
    this.#at = from + length;
    return this.#bytes.subarray(from, this.#at);
  }

  #need(length: number): void {
    if (this.#at + length > this.#bytes.length) throw new IppError('it is cut short');
  }
}

const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes.subarray(0, 1024));
const utf8 = new TextDecoder();

/** The value of this syntax (3.9). Throws an IppError where its length is not that of the syntax. */
function readValue(tag: number, bytes: Uint8Array): Value {
  const view = viewOf(bytes);
  const sized = (length: number) => {
    if (bytes.length !== length) throw new IppError('a value has not the length of its syntax');
    return view;
  };
  switch (tag) {
    case TAG.integer:
    case TAG.enumerated:
      return sized(4).getInt32(0);
    case TAG.boolean:
      return sized(1).getUint8(0) !== 0;
    case TAG.range:
      return { low: sized(8).getInt32(0), high: view.getInt32(4) };
    case TAG.textWithLanguage:
    case TAG.nameWithLanguage:
      return withoutLanguage(bytes);
    default:
      if (tag >= TAG.text && tag <= TAG.mimeType) return utf8.decode(bytes);
      return tag < TAG.integer ? undefined : bytes;
  }
}

function withoutLanguage(bytes: Uint8Array): string {
  const view = viewOf(bytes);
  const at = bytes.length < 2 ? bytes.length : 2 + view.getUint16(0);
  if (at + 2 > bytes.length || at + 2 + view.getUint16(at) !== bytes.length)
    throw new IppError('a text with a language has wrong lengths');
  return utf8.decode(bytes.subarray(at + 2));
}

/** The values of an attribute to be written: octets with their tags. */
export type Written = readonly { readonly tag: number; readonly octets: Uint8Array | Members }[];
/** Attributes to be written, by name. */
export type IppAttributes = Readonly<Record<string, Written>>;
type Members = { readonly members: IppAttributes };

const bytesOf = (length: number, write: (view: DataView) => void): Uint8Array => {
  const bytes = new Uint8Array(length);
  write(new DataView(bytes.buffer));
  return bytes;
};
const encoder = new TextEncoder();
const int32 = (...all: readonly number[]) =>
  bytesOf(4 * all.length, (view) => all.forEach((each, at) => void view.setInt32(4 * at, each)));
const written =
  <T>(tag: number, octets: (value: T) => Uint8Array | Members) =>
  (...values: readonly T[]): Written =>
    values.map((value) => ({ tag, octets: octets(value) }));
const words = (tag: number) => written<string>(tag, (text) => encoder.encode(text));

export const integer = /* @__PURE__ */ written<number>(TAG.integer, int32);
export const enumerated = /* @__PURE__ */ written<number>(TAG.enumerated, int32);
export const boolean = /* @__PURE__ */ written<boolean>(TAG.boolean, (value) => Uint8Array.of(value ? 1 : 0));
export const range = /* @__PURE__ */ written<IntegerRange>(TAG.range, ({ low, high }) => int32(low, high));
export const octets = /* @__PURE__ */ words(TAG.octets);
export const text = /* @__PURE__ */ words(TAG.text);
export const nameOf = /* @__PURE__ */ words(TAG.name);
export const keyword = /* @__PURE__ */ words(TAG.keyword);
export const uri = /* @__PURE__ */ words(TAG.uri);
export const charset = /* @__PURE__ */ words(TAG.charset);
export const language = /* @__PURE__ */ words(TAG.language);
export const mimeType = /* @__PURE__ */ words(TAG.mimeType);
/** Dots an inch, the same both ways (3.9: units 3). */
export const dotsPerInch = /* @__PURE__ */ written<number>(TAG.resolution, (dots) =>
  Uint8Array.of(...int32(dots, dots), 3),
);
export const collection = /* @__PURE__ */ written<IppAttributes>(TAG.collection, (members) => ({ members }));
/** DateAndTime of RFC 2579, in UTC. */
export const date = /* @__PURE__ */ written<Date>(TAG.date, (at) =>
  bytesOf(11, (view) => {
    view.setUint16(0, at.getUTCFullYear());
    const rest = [at.getUTCMonth() + 1, at.getUTCDate(), at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()];
    for (const [index, value] of rest.entries()) view.setUint8(2 + index, value);
    view.setUint8(7, Math.floor(at.getUTCMilliseconds() / 100));
    view.setUint8(8, '+'.charCodeAt(0));
  }),
);
/** An attribute that is known to have no value, and one whose value nobody knows. */
export const NO_VALUE: Written = [{ tag: TAG.noValue, octets: new Uint8Array() }];
export const UNKNOWN_VALUE: Written = [{ tag: TAG.unknown, octets: new Uint8Array() }];
/** What a request asked for and the printer does not have (RFC 8011, 4.1.7). */
export const UNSUPPORTED: Written = [{ tag: TAG.unsupported, octets: new Uint8Array() }];

/** A group of a response. */
export interface WrittenGroup {
  readonly tag: number;
  readonly attributes: IppAttributes;
}

/** Writes a response. */
export function writeResponse(
  { major, minor }: IppRequest['version'],
  status: number,
  requestId: number,
  groups: readonly WrittenGroup[],
): Uint8Array {
  const out: Uint8Array[] = [
    bytesOf(HEAD_BYTES, (view) => {
      view.setUint8(0, major);
      view.setUint8(1, minor);
      view.setUint16(2, status);
      view.setInt32(4, requestId);
    }),
  ];
  for (const { tag, attributes } of groups) {
    out.push(Uint8Array.of(tag));
    for (const [name, values] of Object.entries(attributes)) writeAttribute(out, name, values);
  }
  out.push(Uint8Array.of(GROUP.end));
  const whole = new Uint8Array(out.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of out) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Attributes that are always the same, as they are written. */
const WRITTEN = new WeakMap<Written, { readonly name: string; readonly bytes: Uint8Array }>();

/** Attributes that never change: they are written once, and copied into each answer. */
export function constantAttributes<A extends IppAttributes>(attributes: A): A {
  for (const [name, values] of Object.entries(attributes)) {
    const out: Uint8Array[] = [];
    writeAttribute(out, name, values);
    WRITTEN.set(values, { name, bytes: Buffer.concat(out) });
  }
  return attributes;
}

function writeAttribute(out: Uint8Array[], name: string, values: Written): void {
  const before = WRITTEN.get(values);
  if (before !== undefined && before.name === name) {
    out.push(before.bytes);
    return;
  }
  for (const [index, { tag, octets: value }] of values.entries()) {
    const isCollection = 'members' in value;
    writeValue(out, tag, index === 0 ? name : '', isCollection ? new Uint8Array() : value);
    if (!isCollection) continue;
    for (const [member, memberValues] of Object.entries(value.members)) {
      writeValue(out, TAG.memberName, '', encoder.encode(member));
      writeAttribute(out, '', memberValues);
    }
    writeValue(out, TAG.endCollection, '', new Uint8Array());
  }
}

function writeValue(out: Uint8Array[], tag: number, name: string, value: Uint8Array): void {
  const head = bytesOf(5 + name.length, (view) => {
    view.setUint8(0, tag);
    view.setUint16(1, name.length);
    for (let at = 0; at < name.length; at += 1) view.setUint8(3 + at, name.charCodeAt(at));
    view.setUint16(3 + name.length, value.length);
  });
  out.push(head, value);
}
