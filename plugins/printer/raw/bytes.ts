/** The first bytes of a client of port 9100, and the status requests (DLE EOT n) among them. */
const DLE = 0x10;
const EOT = 0x04;
const NOTHING = new Uint8Array(0);
/** NUL, CR and LF. */
const BLANK = [0x00, 0x0d, 0x0a];

/** Status requests and the bytes without them. */
export interface StatusAsked {
  /** The numbers n, 1 to 4. */
  readonly numbers: readonly number[];
  readonly rest: Uint8Array;
  /** The beginning of a request whose end has not come yet. */
  readonly begun: Uint8Array;
}

/** The bytes of the status request n. */
export const requestOf = (n: number): Uint8Array => Uint8Array.of(DLE, EOT, n);

/** Takes the status requests before the first byte that prints out; blanks between them stay. */
export function askedAmongBlanks(bytes: Uint8Array): StatusAsked {
  const numbers: number[] = [];
  const kept: Uint8Array[] = [];
  let from = 0;
  for (let at = 0; ; from = at) {
    while (BLANK.includes(bytes[at] ?? -1)) at += 1;
    const n = numberAt(bytes, at);
    if (n === undefined) break;
    numbers.push(n);
    kept.push(bytes.subarray(from, at));
    at += 3;
  }
  return { numbers, rest: from === 0 ? bytes : Buffer.concat([...kept, bytes.subarray(from)]), begun: NOTHING };
}

/** Takes the status requests at the beginning off. Where nothing but a part of another one is left, it is `begun`. */
export function askedFirst(bytes: Uint8Array): StatusAsked {
  const numbers: number[] = [];
  let at = 0;
  for (let n = numberAt(bytes, at); n !== undefined; n = numberAt(bytes, at)) {
    numbers.push(n);
    at += 3;
  }
  const rest = bytes.subarray(at);
  const isBegun = rest.length > 0 && rest.length < 3 && rest[0] === DLE && (rest[1] ?? EOT) === EOT;
  return isBegun ? { numbers, rest: NOTHING, begun: rest } : { numbers, rest, begun: NOTHING };
}

function numberAt(bytes: Uint8Array, at: number): number | undefined {
  if (bytes[at] !== DLE || bytes[at + 1] !== EOT) return undefined;
  const n = bytes[at + 2];
  return n !== undefined && n >= 1 && n <= 4 ? n : undefined;
}
