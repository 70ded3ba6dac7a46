/**
 * What printers that went, or that the node let go of at its end, may still wait for: those with a power supply of their
 * own go on where they were, and would take the next receipt for the rest of an image.
 */
import { type MacroMemory, noMacros } from '../../codecs/escpos-macro.ts';
import type { UsbIdentity } from '../../runtime/bindings/bindings.ts';
import type { Node } from '../../runtime/kernel/node.ts';
import { StoredDebts, StoredMacros } from './contract.ts';

const NAME = 'printer.owed';
const MACROS = 'printer.macros';
/** Printers that take each other's place at one node. */
const MOST = 4;

type Needs = Pick<Node, 'bindings' | 'contract' | 'log'>;

export class Debts {
  /** What printers may hold in their memory for macros: only ever more, for nobody says when one was switched off. */
  readonly macros = noMacros();
  readonly #node: Needs;
  /** The last one first. */
  #debts: StoredDebts = [];
  #keptMacros = JSON.stringify(noMacros());

  constructor(node: Needs) {
    this.#node = node;
  }

  /** Takes up what the run before left. */
  async load(): Promise<void> {
    const debts = await this.#read(NAME);
    if (this.#node.contract.fault(StoredDebts, debts) === undefined) this.#debts = debts as StoredDebts;
    const macros = await this.#read(MACROS);
    if (this.#node.contract.fault(StoredMacros, macros) !== undefined) return;
    Object.assign(this.macros, macros as MacroMemory);
    this.#keptMacros = JSON.stringify(this.macros);
  }

  /** Stores what was learnt of macros since the last time. Never rejects. */
  async keepMacros(): Promise<void> {
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
      this.#node.log.warn({ error: String(error) }, 'what printers are owed cannot be read');
      return undefined;
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
