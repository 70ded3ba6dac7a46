/**
 * Stores what a printer with its own power supply keeps while it is unplugged or the node is not running: after an
 * interrupted payload (an image, a symbol) it still expects the rest, and would take the next receipt for it; in its setup mode it
 * ignores receipts; and it keeps its macro.
 */
import type { Static, TSchema } from '@sinclair/typebox';
import { noMacros } from '../../../codecs/escpos-macro.ts';
import { defined } from '../../../runtime/base/defined.ts';
import type { UsbIdentity } from '../../../runtime/bindings/usb.ts';
import type { Node } from '../../../runtime/kernel/node.ts';
import { StoredMacros, StoredPayloads } from '../contract/stored.ts';

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
  /** The printer endpoints of the image. */
  readonly #endpoints: readonly string[];
  /** The most recent first. */
  #payloads: StoredPayloads = [];
  #keptMacros = JSON.stringify(noMacros());

  constructor(node: Needs, endpoints: readonly string[] = []) {
    this.#node = node;
    this.#endpoints = endpoints;
  }

  /** Reads what an earlier run of the node stored. */
  async load(): Promise<void> {
    this.#payloads = (await this.#read(PAYLOADS, StoredPayloads)) ?? [];
    const macros = await this.#read(MACROS, StoredMacros);
    if (macros === undefined) return;
    Object.assign(this.macros, macros);
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

  /** What is stored by this name; undefined if nothing is, it cannot be read, or its schema refuses it. */
  async #read<Schema extends TSchema>(name: string, schema: Schema): Promise<Static<Schema> | undefined> {
    try {
      const bytes = await this.#node.bindings.storage.read(name);
      if (bytes === undefined) return undefined;
      const found: unknown = JSON.parse(Buffer.from(bytes).toString());
      return this.#node.contract.fault(schema, found) === undefined ? (found as Static<Schema>) : undefined;
    } catch (error) {
      this.#node.log.warn({ error: String(error) }, 'what is remembered of printers cannot be read');
      return undefined;
    }
  }

  /**
   * Bytes of an interrupted payload that this printer may still expect. It is recognised by its ids and serial number, on
   * any port. Another printer with the same ids ignores the NULs that complete the payload.
   * With several printers in the variant it is also the payload of one endpoint: two printers of the same ids and without
   * serial numbers must not complete each other's. An image with one printer stores no endpoint and asks for none; what
   * it stored may be of any endpoint, and for it a payload of any endpoint may be that of its printer.
   */
  expectedBytes(identity: UsbIdentity, endpoint?: string): number {
    return Math.max(0, ...this.#payloads.filter((each) => isOf(each, identity, endpoint)).map(({ bytes }) => bytes));
  }

  /** Whether this printer may be in its setup mode; as `expectedBytes`. */
  mayBeInSetup(identity: UsbIdentity, endpoint?: string): boolean {
    return this.#payloads.some((each) => each.setup === true && isOf(each, identity, endpoint));
  }

  /**
   * Stores the bytes that this printer may still expect, and whether it may be in its setup mode. Never rejects: a value that cannot be
   * stored is kept in memory.
   */
  async setExpectedBytes(identity: UsbIdentity, bytes: number, endpoint?: string, inSetup = false): Promise<void> {
    const { vendorId, productId, serial = '' } = identity;
    const before = this.#payloads;
    const isNothing = bytes === 0 && !inSetup;
    if (isNothing && !before.some((payload) => isOf(payload, identity, endpoint))) return;
    const others = before.flatMap((payload) =>
      isOf(payload, identity, endpoint) ? this.#ofOtherEndpoints(payload, endpoint) : [payload],
    );
    const payload = { vendorId, productId, serial, ...defined({ endpoint }), bytes, ...(inSetup && { setup: true }) };
    this.#payloads = isNothing ? others : [payload, ...others].slice(0, MOST);
    const { storage } = this.#node.bindings;
    try {
      if (this.#payloads.length === 0) await storage.remove(PAYLOADS);
      else await storage.write(PAYLOADS, Buffer.from(JSON.stringify(this.#payloads)));
    } catch (error) {
      this.#node.log.warn({ error: String(error) }, 'the interrupted payload of a printer cannot be stored');
    }
  }

  /** What is left of a payload once that of `endpoint` is known: it may have been that of a like printer elsewhere. */
  #ofOtherEndpoints(payload: Payload, endpoint: string | undefined): readonly Payload[] {
    if (endpoint === undefined || payload.endpoint !== undefined) return [];
    return this.#endpoints.filter((id) => id !== endpoint).map((id) => ({ ...payload, endpoint: id }));
  }
}

type Payload = StoredPayloads[number];
/** Whether a stored payload is that of a printer. Where either of them has no endpoint, the ids and the serial number decide. */
const isOf = (payload: Payload, { vendorId, productId, serial = '' }: UsbIdentity, endpoint?: string) =>
  payload.vendorId === vendorId &&
  payload.productId === productId &&
  payload.serial === serial &&
  (payload.endpoint === undefined || endpoint === undefined || payload.endpoint === endpoint);
