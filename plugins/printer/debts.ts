/**
 * What printers that went, or that the node let go of at its end, may still wait for: those with a power supply of their
 * own go on where they were, and would take the next receipt for the rest of an image.
 */
import { noMacros } from '../../codecs/escpos-trail.ts';
import type { UsbIdentity } from '../../runtime/bindings/bindings.ts';
import type { Kernel } from '../../runtime/kernel/kernel.ts';
import { StoredDebts } from './contract.ts';

const NAME = 'printer.owed';
/** Printers that take each other's place at one node. */
const MOST = 4;

type Node = Pick<Kernel, 'bindings' | 'contract' | 'log'>;

export class Debts {
  /** What printers may hold in their memory for macros, since the node began. */
  readonly macros = noMacros();
  readonly #node: Node;
  /** The last one first. */
  #debts: StoredDebts = [];

  constructor(node: Node) {
    this.#node = node;
  }

  /** Takes up what the run before left. */
  async load(): Promise<void> {
    try {
      const bytes = await this.#node.bindings.storage.read(NAME);
      if (bytes === undefined) return;
      const found: unknown = JSON.parse(Buffer.from(bytes).toString());
      if (this.#node.contract.fault(StoredDebts, found) === undefined) this.#debts = found as StoredDebts;
    } catch (error) {
      this.#node.log.warn({ error: String(error) }, 'what printers are owed cannot be read');
    }
  }

  /** Bytes that this printer may wait for. It may have changed its port; to another one NULs mean nothing. */
  of(identity: UsbIdentity): number {
    return this.#debts.find((debt) => isOf(debt, identity))?.bytes ?? 0;
  }

  /** Resolves once it would survive the process. Never rejects: what cannot be stored is known until the end. */
  async set({ vendorId, productId, serial = '' }: UsbIdentity, bytes: number): Promise<void> {
    const before = this.#debts;
    const others = before.filter((debt) => !isOf(debt, { vendorId, productId, serial }));
    if (bytes === 0 && others.length === before.length) return;
    this.#debts = bytes === 0 ? others : [{ vendorId, productId, serial, bytes }, ...others].slice(0, MOST);
    const { storage } = this.#node.bindings;
    try {
      if (this.#debts.length === 0) await storage.remove(NAME);
      else await storage.write(NAME, Buffer.from(JSON.stringify(this.#debts)));
    } catch (error) {
      this.#node.log.warn({ error: String(error) }, 'what a printer is owed cannot be stored');
    }
  }
}

type Identity = Pick<UsbIdentity, 'vendorId' | 'productId' | 'serial'>;
const isOf = (debt: Identity, { vendorId, productId, serial = '' }: Identity) =>
  debt.vendorId === vendorId && debt.productId === productId && debt.serial === serial;
