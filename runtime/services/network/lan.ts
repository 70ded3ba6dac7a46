/** The hosts that respond to ARP on the network of the node: the router, and others. Nothing else can be known from inside. */

import { contains, hostsOf, networkOf, prefixOf } from '../../bindings/ipv4.ts';
import type { Ipv4Settings, NetworkState, RadioBinding } from '../../bindings/network.ts';

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

/** A place on a network. */
interface Place {
  readonly name: string;
  heard: Heard;
  /** Resolved when addresses that the system did not know were asked for. */
  asked?: Promise<void>;
}

/**
 * Asks only when somebody wants to know, once in each place, and only for whom the neighbour table of the system does not
 * have. That is read until there is nothing more to learn from it.
 */
export class Lan {
  readonly #radio: RadioBinding;
  #place: Place | undefined;

  constructor(radio: RadioBinding) {
    this.#radio = radio;
  }

  /** Undefined if the node is on no network. Takes a second where it has to ask. Never rejects. */
  async read(state: State): Promise<Heard | undefined> {
    if (!isConnected(state)) return undefined;
    const name = placeOf(state);
    if (this.#place?.name !== name) this.#place = { name, heard: { gateway: null, others: null } };
    const place = this.#place;
    if (isAllKnown(place.heard, state)) return place.heard;
    place.heard = learnt(place.heard, await this.#radio.neighbours(), state);
    place.asked ??= this.#ask(place, state);
    await place.asked;
    return place.heard;
  }

  async #ask(place: Place, state: Connected): Promise<void> {
    const { gateway } = state.ipv4;
    const everybody = place.heard.others === true ? [] : everybodyIn(state);
    const router = gateway === undefined || place.heard.gateway === true ? [] : [gateway];
    const asked = everybody.length > 0 ? everybody : router;
    if (asked.length === 0) return;
    const { gateway: responds, others } = learnt(place.heard, await this.#radio.neighbours(asked), state);
    place.heard = {
      gateway: gateway === undefined ? null : responds === true,
      others: others ?? (everybody.length > 0 ? false : null),
    };
  }
}

const placeOf = ({ mode, ssid, ipv4 }: Connected): string =>
  JSON.stringify([mode, ssid, ipv4.address, ipv4.netmask, ipv4.gateway]);

const isAllKnown = ({ gateway, others }: Heard, { ipv4 }: Connected): boolean =>
  others === true && (gateway === true || ipv4.gateway === undefined);

/** Only Wi-Fi keeps its devices apart: on a cable nobody is asked for but the router. */
function everybodyIn({ mode, ipv4: { address, netmask } }: Connected): string[] {
  const isAll = mode === 'station' && prefixOf(netmask) >= FEWEST_BITS;
  return isAll ? hostsOf(networkOf(address, prefixOf(netmask))).filter((each) => each !== address) : [];
}

/** What is known with these neighbours, as far as they are of the network. */
function learnt(before: Heard, neighbours: readonly string[], { ipv4 }: Connected): Heard {
  const { address, netmask, gateway } = ipv4;
  const own = networkOf(address, prefixOf(netmask));
  const found = neighbours.filter((each) => each !== address && contains(own, each));
  return {
    gateway: (gateway !== undefined && found.includes(gateway)) || before.gateway,
    others: found.some((each) => each !== gateway) || before.others,
  };
}
