/**
 * What the node remembers of printers while they are unplugged and while it is not running. A printer with a power supply
 * of its own stays as it was: where a payload (an image, a symbol) was interrupted it still expects the rest, and would
 * take the next receipt for it; and it keeps the macro that was defined.
 */
import { type MacroMemory, noMacros } from '../../codecs/escpos-macro.ts';
import type { UsbIdentity } from '../../runtime/bindings/bindings.ts';
import type { Node } from '../../runtime/kernel/node.ts';
import { StoredMacros, StoredPayloads } from './contract.ts';

/** As it is called on disk since the first image: an update finds what the image before it stored. */
const PAYLOADS = 'printer.owed';
const MACROS = 'printer.macros';
/** Printers that take each other's place at one node. */
const MOST = 4;

type Needs = Pick<Node, 'bindings' | 'contract' | 'log'>;

export class PrinterMemory {
  /** What printers may hold in their memory for macros: only ever more, for nobody says when one was switched off. */
  readonly macros = noMacros();
  readonly #node: Needs;
  /** The last one first. */
  #payloads: StoredPayloads = [];
  #keptMacros = JSON.stringify(noMacros());

  constructor(node: Needs) {
    this.#node = node;
  }

  /** Reads what the run before stored. */
  async load(): Promise<void> {
    const payloads = await this.#read(PAYLOADS);
    if (this.#node.contract.fault(StoredPayloads, payloads) === undefined) this.#payloads = payloads as StoredPayloads;
    const macros = await this.#read(MACROS);
    if (this.#node.contract.fault(StoredMacros, macros) !== undefined) return;
    Object.assign(this.macros, macros as MacroMemory);
    this.#keptMacros = JSON.stringify(this.macros);
  }

  /** Stores what was learnt of macros since the last time. Never rejects. */
  async storeMacros(): Promise<void> {
    const macros = JSON.stringify(this.macros);
    if (macros === this.#keptMacros) return;
    this.#keptMacros = macros;
    try {
      await this.#node.bindings.storage.write(MACROS, Buffer.from(macros));
    } catch (error) {
      this.#node.log.warn({ error: String(error) }, 'what printers may hold of macros cannot be stored');
    }
  }

  async #read(name: string): Promise<unknown> {
    try {
      const bytes = await this.#node.bindings.storage.read(name);
      return bytes === undefined ? undefined : JSON.parse(Buffer.from(bytes).toString());
    } catch (error) {
      this.#node.log.warn({ error: String(error) }, 'what is remembered of printers cannot be read');
      return undefined;
    }
  }

  /**
   * Bytes of an interrupted payload that this printer may still expect. It is known again by its ids and serial number,
   * whatever its port; to another printer of the same ids the NULs that complete a payload mean nothing. Beside others,
   * it is that of its endpoint: two that nothing tells apart may not settle for each other.
   */
  expectedBytes(identity: UsbIdentity, endpoint?: string): number {
    return this.#payloads.find((payload) => isOf(payload, identity, endpoint))?.bytes ?? 0;
  }

  /** Resolves once it would survive the process. Never rejects: what cannot be stored is known until the end. */
  async setExpectedBytes(identity: UsbIdentity, bytes: number, endpoint?: string): Promise<void> {
    const { vendorId, productId, serial = '' } = identity;
    const before = this.#payloads;
    const others = before.filter((payload) => !isOf(payload, identity, endpoint));
    if (bytes === 0 && others.length === before.length) return;
    const payload = { vendorId, productId, serial, ...(endpoint !== undefined && { endpoint }), bytes };
    this.#payloads = bytes === 0 ? others : [payload, ...others].slice(0, MOST);
    const { storage } = this.#node.bindings;
    try {
      if (this.#payloads.length === 0) await storage.remove(PAYLOADS);
      else await storage.write(PAYLOADS, Buffer.from(JSON.stringify(this.#payloads)));
    } catch (error) {
      this.#node.log.warn({ error: String(error) }, 'the interrupted payload of a printer cannot be stored');
    }
  }
}

type Payload = StoredPayloads[number];
const isOf = (payload: Payload, { vendorId, productId, serial = '' }: UsbIdentity, endpoint?: string) =>
  payload.vendorId === vendorId &&
  payload.productId === productId &&
  payload.serial === serial &&
  payload.endpoint === endpoint;
