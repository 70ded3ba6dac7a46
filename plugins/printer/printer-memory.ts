/**
 * Stores what a printer with its own power supply keeps while it is unplugged or the node is not running: after an
 * interrupted payload (an image, a symbol) it still expects the rest, and would take the next receipt for it; and it keeps
 * its macro.
 */
import { type MacroMemory, noMacros } from '../../codecs/escpos-macro.ts';
import type { UsbIdentity } from '../../runtime/bindings/bindings.ts';
import type { Node } from '../../runtime/kernel/node.ts';
import { StoredMacros, StoredPayloads } from './contract.ts';

/** As it is called on disk since the first image: an update finds what the image before it stored. */
const PAYLOADS = 'printer.owed';
const MACROS = 'printer.macros';
/** Printers that are remembered; the one that was stored first is forgotten first. */
const MOST = 4;

type Needs = Pick<Node, 'bindings' | 'contract' | 'log'>;

/** The memory of one node, in its storage. No method rejects: a failure to read or store is logged. */
export class PrinterMemory {
  /** The macros that printers may have. Entries are only added: no printer reports that it was switched off. */
  readonly macros = noMacros();
  readonly #node: Needs;
  /** The most recent first. */
  #payloads: StoredPayloads = [];
  #keptMacros = JSON.stringify(noMacros());

  constructor(node: Needs) {
    this.#node = node;
  }

  /** Reads what an earlier run of the node stored. */
  async load(): Promise<void> {
    const payloads = await this.#read(PAYLOADS);
    if (this.#node.contract.fault(StoredPayloads, payloads) === undefined) this.#payloads = payloads as StoredPayloads;
    const macros = await this.#read(MACROS);
    if (this.#node.contract.fault(StoredMacros, macros) !== undefined) return;
    Object.assign(this.macros, macros as MacroMemory);
    this.#keptMacros = JSON.stringify(this.macros);
  }

  /** Stores `macros` if they have changed. Never rejects. */
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
   * Bytes of an interrupted payload that this printer may still expect. It is recognised by its ids and serial number, on
   * any port. Another printer with the same ids ignores the NULs that complete the payload.
   * With several printers in the variant it is also the payload of one endpoint: two printers of the same ids and without
   * serial numbers must not complete each other's.
   */
  expectedBytes(identity: UsbIdentity, endpoint?: string): number {
    return this.#payloads.find((payload) => isOf(payload, identity, endpoint))?.bytes ?? 0;
  }

  /** Stores the bytes that this printer may still expect. Never rejects: a value that cannot be stored is kept in memory. */
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
