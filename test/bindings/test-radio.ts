/** The virtual radio with a note of what tests ask about. */
import type { Ipv4Settings, NetworkState, WifiCredentials } from '../../runtime/bindings/network.ts';
import { VirtualRadio } from '../../runtime/bindings/virtual/radio.ts';

/** Credentials that the radio takes. */
export const SHOP = { ssid: 'Shop', password: 'correct horse' } as const;

export const shop = (password: string = SHOP.password) =>
  ({ ssid: SHOP.ssid, password, band: '2.4', signalDbm: -51 }) as const;

export class TestRadio extends VirtualRadio {
  /** Set, as it stands for a machine's. */
  override readonly ofMachine = true;
  /** Everything that was to be changed, in order. */
  readonly calls: string[] = [];
  /** What the last setup network was opened with. */
  setup: { readonly ssid: string; readonly password: string } | undefined;
  wired: Ipv4Settings | undefined;
  /** For a moment no network is seen. */
  blinks = false;
  /** A change was asked for while another was under way. */
  overlapped = false;
  #underWay = 0;

  count(call: string): number {
    return this.calls.filter((each) => each === call).length;
  }

  async is(mode: NetworkState['mode']): Promise<boolean> {
    return (await this.read()).mode === mode;
  }

  /** Something about the network may be different, and is not. */
  news(): void {
    this.cable = false;
  }

  override async read(): Promise<NetworkState> {
    return this.blinks ? { mode: 'offline', mac: '' } : super.read();
  }

  override openSetup(network: { readonly ssid: string; readonly password: string }) {
    this.setup = network;
    return this.#alone('openSetup', () => super.openSetup(network));
  }

  override join(credentials: WifiCredentials, ipv4?: Ipv4Settings): Promise<void> {
    return this.#alone(`join ${credentials.ssid}`, () => super.join(credentials, ipv4));
  }

  override wire(ipv4: Ipv4Settings | undefined): Promise<void> {
    this.wired = ipv4;
    return this.#alone('wire', () => super.wire(ipv4));
  }

  override renew(): Promise<void> {
    return this.#alone('renew', () => super.renew());
  }

  override leave(): Promise<void> {
    return this.#alone('leave', () => super.leave());
  }

  async #alone<T>(call: string, change: () => Promise<T>): Promise<T> {
    this.calls.push(call);
    this.overlapped ||= this.#underWay > 0;
    this.#underWay += 1;
    try {
      return await change();
    } finally {
      this.#underWay -= 1;
    }
  }
}

/** A radio in reach of that network. */
export const radioInShop = (): TestRadio => new TestRadio([shop()]);

/** A radio of a node with a cable in it. */
export const cabled = (): TestRadio => Object.assign(new TestRadio(), { cable: true });
