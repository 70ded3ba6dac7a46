/** A node with IPP in front of a virtual printer, and a client of IPP that shares no code with it. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import { besideSources } from '../../../runtime/assembly/variant/beside-sources.ts';
import { startTestNode, type TestNode } from '../../../runtime/node/testing.ts';
import { until } from '../../node.ts';
import { wifiPlugins } from '../../plugins.ts';
import { begin, GET_JOB, message, type Part, PRINT_JOB, read, type Told } from './messages.ts';

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
    beside: besideSources,
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
