/** Who responds to ARP on the network of the node: the router, and others. Nothing else can be known from inside. */
import type { Ipv4Settings, NetworkState, RadioBinding } from '../../bindings/bindings.ts';
import { contains, hostsOf, networkOf, prefixOf } from '../../bindings/ipv4.ts';

/** Shortest prefix of a network in which all hosts are asked for. */
const FEWEST_BITS = 24;

/** Null where it is not known. */
export interface Heard {
  /** The router responded; false: not within a second. */
  readonly gateway: boolean | null;
  /** Somebody else than the router did; false: none of all addresses. */
  readonly others: boolean | null;
}

type State = Pick<NetworkState, 'mode' | 'ssid'> & { readonly ipv4?: Partial<Ipv4Settings> };
/** On a network. */
type Connected = State & { readonly ipv4: Ipv4Settings };

const isConnected = (state: State): state is Connected =>
  (state.mode === 'station' || state.mode === 'ethernet') &&
  state.ipv4?.address !== undefined &&
  state.ipv4.netmask !== undefined;

/** Asks once in each place on a network, and reads the neighbour table of the system after that. */
export class Lan {
  readonly #radio: RadioBinding;
  #asked: { readonly place: string; readonly heard: Promise<Heard> } | undefined;

  constructor(radio: RadioBinding) {
    this.#radio = radio;
  }

  /** Asks for the router and, on Wi-Fi, for every address of a network of at most 254 hosts. Never rejects. */
  ask(state: Connected): Promise<Heard> {
    const place = placeOf(state);
    if (this.#asked?.place !== place) this.#asked = { place, heard: this.#ask(state) };
    return this.#asked.heard;
  }

  /** As it was when asked, and what the system has heard since; undefined if the node is on no network. Never rejects. */
  async read(state: State): Promise<Heard | undefined> {
    if (!isConnected(state)) return undefined;
    const now = heardIn(await this.#radio.neighbours(), state.ipv4);
    const before = this.#asked?.place === placeOf(state) ? await this.#asked.heard : undefined;
    return {
      gateway: now.gateway || (before?.gateway ?? null),
      others: now.others || (before?.others ?? null),
    };
  }

  async #ask({ mode, ipv4 }: Connected): Promise<Heard> {
    const { address, netmask, gateway } = ipv4;
    const router = gateway === undefined ? [] : [gateway];
    const isAll = mode === 'station' && prefixOf(netmask) >= FEWEST_BITS;
    const asked = isAll ? hostsOf(networkOf(address, prefixOf(netmask))).filter((each) => each !== address) : router;
    if (asked.length === 0) return { gateway: null, others: null };
    const heard = heardIn(await this.#radio.neighbours(asked), ipv4);
    return {
      gateway: gateway === undefined ? null : heard.gateway,
      others: heard.others || (isAll ? false : null),
    };
  }
}

const placeOf = ({ mode, ssid, ipv4 }: Connected): string =>
  JSON.stringify([mode, ssid, ipv4.address, ipv4.netmask, ipv4.gateway]);

/** Who of the network of `ipv4` is among the neighbours. */
function heardIn(neighbours: readonly string[], { address, netmask, gateway }: Ipv4Settings) {
  const own = networkOf(address, prefixOf(netmask));
  const found = neighbours.filter((each) => each !== address && contains(own, each));
  return { gateway: gateway !== undefined && found.includes(gateway), others: found.some((each) => each !== gateway) };
}
