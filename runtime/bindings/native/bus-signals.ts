/**
 * Signals of the system bus: a connection that only listens, in place of a program that prints them (`nmcli monitor` takes 2 MB for as
 * long as the node runs). D-Bus Specification 0.41: Message Protocol, Authentication Protocol, Match Rules.
 */
import { connect } from 'node:net';
import type { Watch } from './shared-watch.ts';

const BUS = 'org.freedesktop.DBus';
const SYSTEM_BUS = '/run/dbus/system_bus_socket';
/** Types of messages. */
const [METHOD_RETURN, ERROR, SIGNAL] = [2, 3, 4];
/** Bytes of the fixed part of a header, with the length of its fields. */
const FIXED = 16;
const LITTLE_ENDIAN = 0x6c;
/** More bytes than a signal of a few words has. */
const LONGEST = 65_536;
const TO_FIELD = 8;

const EMPTY = Buffer.alloc(0);

const padding = (length: number): number => -length & (TO_FIELD - 1);
const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc(padding(bytes.length))]);

function text(value: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(Buffer.byteLength(value));
  return Buffer.concat([length, Buffer.from(`${value}\0`)]);
}

/** A field of a header: its code, and a value of type `o` or `s`. */
const field = (code: number, type: string, value: string): Buffer =>
  Buffer.concat([Buffer.from([code, 1, type.charCodeAt(0), 0]), text(value)]);
/** The field that says that the body is one string. */
const ONE_STRING = Buffer.from([8, 1, 0x67, 0, 1, 0x73, 0]);

/** A call of the bus itself, with a string or nothing. */
function call(serial: number, member: string, argument?: string): Buffer {
  const fields = [
    field(1, 'o', '/org/freedesktop/DBus'),
    field(6, 's', BUS),
    field(2, 's', BUS),
    field(3, 's', member),
  ];
  if (argument !== undefined) fields.push(ONE_STRING);
  const all = fields.reduce((before, next) => Buffer.concat([padded(before), next]), EMPTY);
  const body = argument === undefined ? EMPTY : text(argument);
  const fixed = Buffer.from([LITTLE_ENDIAN, 1, 0, 1, ...new Array(FIXED - 4).fill(0)]);
  fixed.writeUInt32LE(body.length, 4);
  fixed.writeUInt32LE(serial, 8);
  fixed.writeUInt32LE(all.length, 12);
  return Buffer.concat([fixed, padded(all), body]);
}

/** Bytes of the message that begins here; undefined where its header is not there yet. */
function lengthOf(bytes: Buffer): number | undefined {
  if (bytes.length < FIXED) return undefined;
  const at = (index: number) => (bytes[0] === LITTLE_ENDIAN ? bytes.readUInt32LE(index) : bytes.readUInt32BE(index));
  return FIXED + at(12) + padding(at(12)) + at(4);
}

/** The socket of the system bus, where libdbus looks for it (D-Bus Specification 0.41, Server Addresses). */
function busOf({ DBUS_SYSTEM_BUS_ADDRESS: address = '' }: NodeJS.ProcessEnv): string {
  const [, kind, name = ''] = /(?:^|;)unix:(?:[^;]*,)?(path|abstract)=([^,;]+)/.exec(address) ?? [];
  const socket = Buffer.from(
    name.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
  if (kind === undefined) return SYSTEM_BUS;
  return `${kind === 'abstract' ? '\0' : ''}${socket.toString()}`;
}

/** One connection to the bus. */
class Connection {
  readonly #socket = connect(busOf(process.env));
  readonly #rules: readonly string[];
  readonly #onSignal: () => void;
  #left: Buffer = EMPTY;
  #isIn = false;
  #replies = 0;

  /** `ready`: the bus has taken every rule. `end`: the connection is over, or was never there. */
  constructor(rules: readonly string[], on: { signal(): void; ready(): void; end(): void }) {
    this.#rules = rules;
    this.#onSignal = () => this.#isReady && on.signal();
    this.#socket.on('error', () => {});
    this.#socket.once('close', () => on.end());
    this.#socket.on('data', (bytes) => {
      const before = this.#isReady;
      this.#read(bytes);
      if (this.#isReady && !before) on.ready();
    });
    this.#socket.write(`\0AUTH EXTERNAL ${Buffer.from(String(process.getuid?.())).toString('hex')}\r\n`);
    this.#socket.unref();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Hello and each rule are answered. */
  get #isReady(): boolean {
    return this.#replies > this.#rules.length;
  }

  #read(bytes: Buffer): void {
    this.#left = Buffer.concat([this.#left, bytes]);
    this.#isIn ||= this.#enter();
    for (let length = this.#length; length !== undefined && length <= this.#left.length; length = this.#length) {
      const type = this.#left[1];
      this.#left = this.#left.subarray(length);
      if (type === METHOD_RETURN) this.#replies += 1;
      if (type === SIGNAL) this.#onSignal();
      if (type === ERROR) this.close();
    }
    if ((this.#length ?? this.#left.length) > LONGEST) this.close();
  }

  get #length(): number | undefined {
    return this.#isIn ? lengthOf(this.#left) : undefined;
  }

  /** True once it knows who asks. */
  #enter(): boolean {
    const end = this.#left.indexOf('\r\n');
    if (end < 0) return false;
    if (!this.#left.toString('latin1', 0, end).startsWith('OK ')) this.close();
    this.#left = this.#left.subarray(end + 2);
    const matches = this.#rules.map((rule, index) => call(index + 2, 'AddMatch', rule));
    this.#socket.write(Buffer.concat([Buffer.from('BEGIN\r\n'), call(1, 'Hello'), ...matches]));
    return true;
  }
}

/**
 * Watches for signals that fit one of these match rules. Also calls `changed` when the bus is lost and when it is there again, as nobody
 * knows what happened meanwhile. `retryMs`: until it is tried again.
 */
export const busSignals =
  (rules: readonly string[], retryMs: number): Watch =>
  (changed) => {
    let end = () => {};
    const begin = (isAgain: boolean) => {
      let wasReady = false;
      const ready = () => {
        wasReady = true;
        if (isAgain) changed();
      };
      const lost = () => {
        const timer = setTimeout(begin, retryMs, true).unref();
        end = () => clearTimeout(timer);
        if (wasReady) changed();
      };
      let over = false;
      const connection = new Connection(rules, {
        signal: () => over || changed(),
        ready: () => over || ready(),
        end: () => over || lost(),
      });
      end = () => {
        over = true;
        connection.close();
      };
    };
    begin(false);
    return () => end();
  };
