/** Messages of IPP for tests, by code that is not the tree's. */
export interface Told {
  readonly status: number;
  readonly values: Readonly<Record<string, readonly (string | number)[]>>;
}

/** An attribute: tag, name, value. A group begins with its delimiter alone. */
export type Part = readonly [tag: number, name?: string, value?: string | number | Uint8Array];

export const PRINT_JOB = 2;
export const VALIDATE_JOB = 4;
export const CREATE_JOB = 5;
export const SEND_DOCUMENT = 6;
export const CANCEL_JOB = 8;
export const CANCEL_MY_JOBS = 0x39;
export const CLOSE_JOB = 0x3b;
export const GET_JOB = 9;
export const GET_JOBS = 10;
export const GET_PRINTER = 11;

const u16 = (n: number) => Buffer.from([n >> 8, n & 255]);
const octets = (value: string | number | Uint8Array): Buffer => {
  if (typeof value !== 'number') return Buffer.from(value as string);
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};

/** The bytes of a message, without a document. */
export function message(
  operation: number,
  parts: readonly Part[],
  head: readonly [number, number, number, number] = [2, 0, 0, 7],
): Buffer {
  const encoded = parts.flatMap(([tag, name, value]) => {
    if (value === undefined) return [Buffer.from([tag])];
    const bytes = octets(value);
    return [Buffer.from([tag]), u16(name!.length), Buffer.from(name!), u16(bytes.length), bytes];
  });
  return Buffer.concat([
    Buffer.from([head[0], head[1]]),
    u16(operation),
    u16(head[2]),
    u16(head[3]),
    ...encoded,
    Buffer.from([3]),
  ]);
}

/** The first attributes of every request. */
export const begin = (uri: string): Part[] => [
  [1],
  [0x47, 'attributes-charset', 'utf-8'],
  [0x48, 'attributes-natural-language', 'en'],
  [0x45, 'printer-uri', uri],
  [0x42, 'requesting-user-name', 'ann'],
];

/** Reads a response as far as tests look at it: collections are passed over. */
export function read(bytes: Buffer): Told {
  const values: Record<string, (string | number)[]> = {};
  let [at, name, depth] = [8, '', 0];
  while (at < bytes.length && bytes[at] !== 3) {
    const tag = bytes[at]!;
    at += 1;
    if (tag < 0x10) continue;
    const nameLength = bytes.readUInt16BE(at);
    if (nameLength > 0) name = bytes.toString('latin1', at + 2, at + 2 + nameLength);
    at += 2 + nameLength;
    const length = bytes.readUInt16BE(at);
    const value = bytes.subarray(at + 2, at + 2 + length);
    at += 2 + length;
    if (tag === 0x34) depth += 1;
    values[name] ??= [];
    if (depth === 0) values[name]!.push(tag === 0x21 || tag === 0x23 ? value.readInt32BE(0) : value.toString());
    if (tag === 0x37) depth -= 1;
  }
  return { status: bytes.readUInt16BE(2), values };
}
