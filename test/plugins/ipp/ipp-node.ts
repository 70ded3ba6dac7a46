/** A node with IPP in front of a virtual printer, and a client of IPP that shares no code with it. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import { startTestNode, type TestNode } from '../../../runtime/node/testing.ts';
import { until } from '../../node.ts';
import { wifiPlugins } from '../../plugins.ts';

export interface IppNode extends TestNode {
  readonly printer: VirtualPrinter;
  /** HOST:PORT of IPP. */
  readonly ipp: string;
  /** Sends a request; gives status code and the values of the answer, by name, as text. */
  ask(operation: number, attributes?: readonly Part[], document?: Uint8Array): Promise<Told>;
  /** As `ask`, from this address of the loopback range. */
  askFrom(address: string, ...asked: Parameters<IppNode['ask']>): Promise<Told>;
  /** Prints a document and gives the job's id. */
  print(format: string, document: Uint8Array, job?: readonly Part[]): Promise<number>;
  /** The state of a job. */
  state(id: number): Promise<number>;
}

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

/** Posts a message from an address of the loopback range, as `headers` say; gives the answer. */
export async function postFrom(
  localAddress: string,
  ipp: string,
  body: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<Told> {
  const [host, port] = ipp.split(':') as [string, string];
  const asked = request({ host, port, localAddress, method: 'POST', path: '/ipp/print', agent: false });
  for (const [name, value] of Object.entries({ 'Content-Type': 'application/ipp', ...headers }))
    asked.setHeader(name, value);
  asked.end(body);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`HTTP ${response.statusCode}`);
  return read(await buffer(response));
}

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

/** Does something as it gets certain bytes, once. */
export class PrinterThatWatches extends VirtualPrinter {
  seen: (() => void) | undefined;
  readonly #bytes: string;

  constructor(bytes: string) {
    super();
    this.#bytes = bytes;
  }

  protected override receive(pipe: number, bytes: Uint8Array): number {
    const { seen } = this;
    if (seen !== undefined && Buffer.from(bytes).includes(this.#bytes, 0, 'latin1')) {
      this.seen = undefined;
      seen();
    }
    return super.receive(pipe, bytes);
  }
}

export async function startIppNode(config: object = {}, printer = new VirtualPrinter()): Promise<IppNode> {
  const node = await startTestNode({
    plugins: wifiPlugins,
    devices: { printer: () => printer },
    run: { ports: { ipp: 0 } },
  });
  node.kernel.offered('printer')?.drawn.tap('test', (_, texts) => printer.drew(texts));
  await until(() => (node.kernel.status()['printers'] as [{ known: boolean }])[0].known);
  await fetch(`${node.url}/config`, {
    method: 'PUT',
    body: JSON.stringify({ usb: { writeTimeoutMs: 500 }, ...config }),
  });
  printer.tearOff();
  const ipp = node.kernel.listening.get('ipp') ?? '';
  const uri = `ipp://${ipp}/ipp/print`;
  const ask: IppNode['ask'] = async (operation, attributes = [], document) => {
    const head = message(operation, [...begin(uri), ...attributes]);
    const response = await fetch(`http://${ipp}/ipp/print`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/ipp' },
      body: document === undefined ? head : Buffer.concat([head, document]),
    });
    return read(Buffer.from(await response.arrayBuffer()));
  };
  return {
    ...node,
    printer,
    ipp,
    ask,
    askFrom: (address, operation, attributes = [], document = Buffer.alloc(0)) =>
      postFrom(address, ipp, Buffer.concat([message(operation, [...begin(uri), ...attributes]), document])),
    print: async (format, document, job = []) => {
      const { status, values } = await ask(PRINT_JOB, [[0x49, 'document-format', format], ...job], document);
      if (status > 1) throw new Error(`0x${status.toString(16)} ${values['status-message']}`);
      return values['job-id']![0] as number;
    },
    state: async (id) => (await ask(GET_JOB, [[0x21, 'job-id', id]])).values['job-state']?.[0] as number,
  };
}
