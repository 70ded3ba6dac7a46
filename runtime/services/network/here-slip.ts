/** The printed notice that says where the node is: once for each place on a network, not at each start. */
import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../base/defined.ts';
import type { RadioBinding } from '../../bindings/network.ts';
import type { Node } from '../../kernel/node.ts';
import { type AddressFault, type FixedAddress, faultWords } from './fixed-address.ts';
import type { Lan } from './lan.ts';
import { hereLines } from './slip.ts';
import { pageUrl } from './url.ts';

/** What the last notice said; also without one, where nobody has to be told. */
interface Told {
  /** `cable`, or `wifi` and the name of the network. */
  readonly network: string;
  readonly address: string;
  /** The device id, of which the host name is made; absent in what an earlier version stored. */
  readonly id?: string;
  readonly fault?: AddressFault;
}

/** Prints the notice when it is due, and stores what it said. */
export class HereSlip {
  readonly #node: Node;
  readonly #radio: RadioBinding;
  readonly #fixed: FixedAddress;
  readonly #lan: Lan;
  #printing: Promise<void> = Promise.resolve();
  /** Credentials have just worked for the first time. */
  #isNew = false;

  constructor(node: Node, radio: RadioBinding, fixed: FixedAddress, lan: Lan) {
    this.#node = node;
    this.#radio = radio;
    this.#fixed = fixed;
    this.#lan = lan;
  }

  /** Somebody waits to be told: the node has joined with new credentials. */
  expected(): void {
    this.#isNew = true;
  }

  /** Prints the notice if it is due; to call when the node is on a network to stay, or when there is a printer. Never rejects. */
  print(): Promise<void> {
    this.#printing = this.#printing.then(() =>
      this.#print().catch((error: unknown) =>
        this.#node.log.warn({ error: String(error) }, 'no slip with the address'),
      ),
    );
    return this.#printing;
  }

  async #print(): Promise<void> {
    const { deviceId, image, settings, hooks, listening } = this.#node;
    const { mode, ssid, ipv4 } = await this.#radio.read();
    if (ipv4 === undefined || (mode !== 'ethernet' && mode !== 'station') || !this.#fixed.isSettled) return;
    const { fault } = this.#fixed;
    const network = mode === 'ethernet' ? 'cable' : `wifi ${ssid ?? ''}`;
    const now: Told = { network, address: ipv4.address, id: deviceId, ...defined({ fault }) };
    const before = settings.read('told');
    if (before !== undefined && isDeepStrictEqual({ id: deviceId, ...before }, now)) return;
    // A node that was on its Wi-Fi before there was this notice, and stays there, has nothing to tell.
    const isKnown = before === undefined && mode === 'station' && !this.#isNew && fault === undefined;
    if (!isKnown) {
      const heard = await this.#lan.read({ mode, ipv4, ...defined({ ssid }) });
      const lines = hereLines(
        {
          name: settings.read('name'),
          url: pageUrl(this.#node, ipv4.address),
          hostUrl: pageUrl(this.#node, listening.get('mdns') ?? `node-${deviceId}.local`),
          because: (language) => [faultWords(this.#fixed, language)].flatMap((words) => words ?? []),
          isAlone: mode === 'station' && heard?.gateway === true && heard.others === false,
        },
        image.language,
      );
      if ((await hooks.notice.promise(lines)) !== true) return;
    }
    this.#isNew = false;
    await settings.update((draft) => {
      draft.told = now;
    });
  }
}

declare module '../../kernel/registry.ts' {
  interface StoredSettings {
    told: Told;
  }
}
