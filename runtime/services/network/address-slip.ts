/** The printed notice that says where the node is: once in its life, when a cable first brought it an address. */
import type { RadioBinding } from '../../bindings/bindings.ts';
import type { Node } from '../../kernel/node.ts';
import { addressLines } from './slip.ts';

const HTTP_PORT = 80;

/** Prints the notice when it is due, and stores that it was. */
export class AddressSlip {
  readonly #node: Node;
  readonly #radio: RadioBinding;
  #printing: Promise<void> | undefined;

  constructor(node: Node, radio: RadioBinding) {
    this.#node = node;
    this.#radio = radio;
  }

  /** Prints the notice if it is due; to call when there is an address, or a printer. Never rejects. */
  print(): Promise<void> {
    this.#printing ??= this.#print()
      .catch((error: unknown) => this.#node.log.warn({ error: String(error) }, 'no address slip'))
      .finally(() => {
        this.#printing = undefined;
      });
    return this.#printing;
  }

  async #print(): Promise<void> {
    const { image, settings, run, hooks } = this.#node;
    if (settings.read('addressSlip') === true) return;
    const { mode, ipv4 } = await this.#radio.read();
    if (mode !== 'ethernet' || ipv4 === undefined) return;
    const port = run.port === HTTP_PORT ? '' : `:${run.port}`;
    const printed = await hooks.notice.promise(addressLines(`http://${ipv4.address}${port}/`, image.language));
    if (printed !== true) return;
    await settings.update((draft) => {
      draft.addressSlip = true;
    });
  }
}

declare module '../../kernel/registry.ts' {
  interface StoredSettings {
    /** It was printed. */
    addressSlip: true;
  }
}
