/** The IPP printers of a node: one for each printer endpoint. */
import { createHash, randomUUID } from 'node:crypto';
import { resolveOptions } from '../../codecs/escpos.ts';
import type { Node } from '../../runtime/kernel/node.ts';
import { FORMATS, OCTETS } from './content.ts';
import type { Head } from './document.ts';
import { PAPER_MAX } from './media.ts';
import type { DocumentMemory } from './memory.ts';
import { type PrinterIdentity, printerAttributes, urfOf } from './printer-attributes.ts';
import { headOf } from './printing.ts';
import { Queue } from './queue.ts';
import { IppRefusal, STATUS } from './refusal.ts';
import type { Find } from './server.ts';

const PATH = '/ipp/print';
/** Milliseconds between two Identify-Printer of one printer, at least: each takes paper. */
const IDENTIFY_MS = 5000;
/** UUID of the namespace of URLs (RFC 9562, 6.6). */
const URLS = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex');

/** A name-based UUID (RFC 9562, 5.5). */
function uuidOf(name: string): string {
  const bytes = createHash('sha1').update(URLS).update(name).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** All of them, in the order of the endpoints. */
export class Printers {
  readonly #node: Node;
  readonly #queues: readonly Queue[];
  readonly #identifiedAt = new WeakMap<Queue, number>();

  constructor(node: Node, memory: DocumentMemory) {
    this.#node = node;
    this.#queues = node.endpoints('printer').map(({ declaration: { id } }) => new Queue(node, id, memory));
  }

  status(): { readonly endpoint: string; readonly path: string; readonly jobs: number }[] {
    return this.#queues.map((queue) => ({
      endpoint: queue.endpoint,
      path: this.#pathOf(queue),
      jobs: queue.openJobs.length,
    }));
  }

  wake(): void {
    for (const queue of this.#queues) queue.wake();
  }

  stop(): void {
    for (const queue of this.#queues) queue.stop();
  }

  find: Find = (path, host) => {
    const queue = this.#queues.find(
      (each, n) => path === `${PATH}/${each.endpoint}` || (n === 0 && (path === PATH || path === '/')),
    );
    if (queue === undefined) return undefined;
    const head = this.#headOf(queue);
    const printerUri = `ipp://${host}${this.#pathOf(queue)}`;
    return {
      queue,
      printerUri,
      head,
      printer: async () => {
        const identity = this.#identityOf(queue, printerUri, host);
        return printerAttributes(identity, queue, head, this.#node.startedAt);
      },
      identify: () => this.#identify(queue, printerUri),
    };
  };

  /** The first printer has the path that clients try. */
  #pathOf(queue: Queue): string {
    return queue === this.#queues[0] ? PATH : `${PATH}/${queue.endpoint}`;
  }

  /** The TXT keys of IPP (Bonjour Printing Specification 1.2.1, 9.2; `URF` of AirPrint); undefined while it takes no jobs. */
  txtOf(endpoint: string): Readonly<Record<string, string>> | undefined {
    const queue = this.#queues.find((each) => each.endpoint === endpoint);
    if (queue?.accepting !== true) return undefined;
    return {
      rp: this.#pathOf(queue).slice(1),
      // The raw port has 50: who knows both takes the one that needs no driver.
      priority: '20',
      pdl: FORMATS.filter((format) => format !== OCTETS).join(),
      URF: urfOf(this.#headOf(queue)).join(),
      UUID: this.#uuidOf(queue),
      ...{ kind: 'receipt,roll', Color: 'F', Duplex: 'F', Copies: 'T', PaperCustom: 'T', PaperMax: PAPER_MAX },
    };
  }

  #headOf(queue: Queue): Head {
    const printer = this.#node.bound('printer', queue.endpoint);
    return headOf(this.#node, printer?.options ?? resolveOptions({}));
  }

  #uuidOf(queue: Queue): string {
    return uuidOf(`tillnode:${this.#node.deviceId}:${queue.endpoint}`);
  }

  #identityOf(queue: Queue, uri: string, host: string): PrinterIdentity {
    const { deviceId, settings, listening, image } = this.#node;
    const discovery = this.#node.offered('discovery');
    const { make = 'tillnode', model = 'receipt printer' } =
      discovery?.modelOf() ?? this.#node.endpoint(queue.endpoint)?.identity ?? {};
    const place = settings.read('name') ?? '';
    const known = discovery?.instanceOf(queue.endpoint);
    const name = known ?? `${place || `node-${deviceId}`}${this.#queues.length > 1 ? ` ${queue.endpoint}` : ''}`;
    const page = `http://${host.replace(/:\d+$/, '')}:${listening.get('http')?.split(':').at(-1) ?? this.#node.run.port}/`;
    return {
      ...{ uri, name, info: `${make} ${model}`, location: place, make, model, page, icon: `${page}favicon.ico` },
      uuid: `urn:uuid:${this.#uuidOf(queue)}`,
      version: image.version,
    };
  }

  /** Prints which printer it is. Throws an IppRefusal where that was asked for just now, or nothing can be printed. */
  #identify(queue: Queue, uri: string): void {
    const now = performance.now();
    const before = this.#identifiedAt.get(queue);
    if (before !== undefined && now - before < IDENTIFY_MS)
      throw new IppRefusal(STATUS.busy, 'it was identified just now');
    if (queue.stopped) throw new IppRefusal(STATUS.device, 'the printer prints nothing now');
    this.#identifiedAt.set(queue, now);
    const lines = [{ type: 'text', value: uri } as const, { type: 'cut' } as const];
    void this.#node.command({ type: 'print', id: `identify-${randomUUID()}`, endpoint: queue.endpoint, lines });
  }
}
