/**
 * The fixed address of this boot: tried, then kept. The binding probes whether another host has it (RFC 5227); after
 * that somebody in its network must be heard. Where that fails the node takes DHCP, and does not have the address at all.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { filled, type Language } from '../../base/language.ts';
import { contains, firstOf, type Ipv4Network, lastOf, networkOf, prefixOf } from '../../bindings/ipv4.ts';
import { type Ipv4Settings, type NetworkState, type RadioBinding, RadioError } from '../../bindings/network.ts';
import type { Timings } from './timings.ts';
import { words } from './words/fault/index.ts';

/**
 * Why a fixed address is not in use: another host has it; its gateway does not respond; the router assigns addresses of
 * another network, or nobody is heard in that of the address.
 */
export type AddressFault = 'taken' | 'no_gateway' | 'outside';

type Lease = NonNullable<NetworkState['ipv4']>;

const networkOfSettings = ({ address, netmask }: Ipv4Settings): Ipv4Network => networkOf(address, prefixOf(netmask));

/** What became of the fixed address; `settings` undefined is DHCP, which has no fault. */
export class FixedAddress {
  #settings: Ipv4Settings | undefined;
  #fault: AddressFault | undefined;
  /** Whether it was found to work, or there is none. */
  #isKept = false;
  /** The cable has it although nobody is heard there. */
  #isAlone = false;
  /** The timer of the second probe. */
  #timer: NodeJS.Timeout | undefined;
  #isDue = false;
  #isProbedTwice = false;

  constructor(settings: Ipv4Settings | undefined) {
    this.#settings = settings;
    this.reset();
  }

  /** The settings, also while they are not in use. */
  get settings(): Ipv4Settings | undefined {
    return this.#settings;
  }

  /** What an interface is to get now; undefined is DHCP. */
  get inForce(): Ipv4Settings | undefined {
    return this.#fault === undefined ? this.#settings : undefined;
  }

  get fault(): AddressFault | undefined {
    return this.#fault;
  }

  /** Whether this is the address that a cable has although nobody is heard there. */
  isAlone({ mode, ipv4 }: NetworkState): boolean {
    return this.#isAlone && mode === 'ethernet' && ipv4?.address === this.#settings?.address;
  }

  /**
   * There is no DHCP either. Returns what a cable gets nevertheless: two devices on one cable have no router. Undefined
   * if there was to be a gateway: the address stays out then.
   */
  standAlone(): Ipv4Settings | undefined {
    this.#isAlone = this.#fault === 'outside' && this.#settings?.gateway === undefined;
    return this.#isAlone ? this.#settings : undefined;
  }

  /**
   * After this time an address without a gateway is to be probed once more, and `due` is called: it may be that of the
   * router itself, which starts slower than the node after the power was out.
   */
  startSecondProbe(afterMs: number, due: () => void): void {
    clearTimeout(this.#timer);
    if (this.#isProbedTwice || this.#settings === undefined || this.#settings.gateway !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#isDue = this.inForce !== undefined;
      if (this.#isDue) due();
    }, afterMs).unref();
  }

  get isDue(): boolean {
    return this.#isDue;
  }

  /** True, once, if the second probe is due. */
  takeSecondProbe(): boolean {
    const { isDue } = this;
    this.#isDue = false;
    this.#isProbedTwice ||= isDue;
    return isDue;
  }

  /** Whether it is known what becomes of it. */
  get isSettled(): boolean {
    return this.#isKept || (this.#fault !== undefined && !this.#isAlone);
  }

  /** Forgets it: DHCP from now on. */
  drop(): void {
    this.#settings = undefined;
    this.reset();
  }

  /** Whether an interface has what it is to get. */
  isOn({ address, method }: Lease): boolean {
    const { inForce } = this;
    if (inForce !== undefined) return method === 'static' && address === inForce.address;
    return address !== this.#settings?.address || method === 'dhcp';
  }

  /** Tries it again: the node is on another network, or time has passed. */
  reset(): void {
    this.#fault = undefined;
    this.#isKept = this.#settings === undefined;
    this.#isAlone = false;
    clearTimeout(this.#timer);
    this.#isDue = false;
    this.#isProbedTwice = false;
  }

  /** Notes the fault that an error of the binding stands for; false if it is about something else. */
  refused(error: unknown): boolean {
    const isTaken = error instanceof RadioError && error.fault === 'address_taken';
    if (isTaken) this.#fault = 'taken';
    return isTaken;
  }

  /** Learns from what the router assigned, which network is spoken there. */
  learn(lease: Lease): void {
    if (this.#settings === undefined || this.#isKept || this.#fault === 'taken' || lease.method !== 'dhcp') return;
    const { address, gateway } = this.#settings;
    const theirs = networkOfSettings(lease);
    const isInside = contains(theirs, address);
    if (lease.gateway === address) this.#fault = 'taken';
    else if (gateway !== undefined) this.#fault &&= isInside ? 'no_gateway' : 'outside';
    // Without a gateway it reaches nobody whom its own netmask leaves out.
    else this.#keepIf(isInside && networkOfSettings(this.#settings).mask <= theirs.mask);
  }

  /**
   * Listens in the network that the node has just got on. Resolves with true when other settings are in force from now
   * on: the address is given up, or its gateway is there after all. Resolves with false when they stay, or on `signal`.
   */
  async attend(radio: RadioBinding, { silenceMs, askMs }: Timings, signal: AbortSignal): Promise<boolean> {
    const isTrial = this.inForce !== undefined && !this.#isKept;
    if (!isTrial && this.#fault !== 'no_gateway' && !this.#isAlone) return false;
    const deadline = isTrial ? performance.now() + silenceMs : Number.POSITIVE_INFINITY;
    while (performance.now() < deadline) {
      if (await this.#isHeard(radio)) {
        this.#keepIf(true);
        return !isTrial;
      }
      await delay(askMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return false;
    }
    this.#fault = this.#settings?.gateway === undefined ? 'outside' : 'no_gateway';
    return true;
  }

  #keepIf(works: boolean): void {
    this.#isKept = works;
    this.#isAlone = false;
    this.#fault = works ? undefined : 'outside';
  }

  /** Whether the gateway responds; without one, whether anybody is known in the network, such as at a router's usual place. */
  async #isHeard(radio: RadioBinding): Promise<boolean> {
    if (this.#settings === undefined) return false;
    const { address, gateway, dns } = this.#settings;
    if (gateway !== undefined) return radio.answers(gateway).catch(() => false);
    const own = networkOfSettings(this.#settings);
    const usual = [firstOf(own), lastOf(own), ...(dns !== undefined && contains(own, dns) ? [dns] : [])];
    await Promise.allSettled(usual.filter((each) => each !== address).map((each) => radio.answers(each)));
    return (await radio.neighbours()).some((each) => each !== address && contains(own, each));
  }
}

/** The fault as a sentence that says what the shop can do; undefined without one. */
export function faultWords(
  { fault, settings }: Pick<FixedAddress, 'fault' | 'settings'>,
  language: Language,
): string | undefined {
  if (fault === undefined || settings === undefined) return undefined;
  const { address, gateway = '' } = settings;
  return filled(words[language][fault], { address, gateway });
}
