/** Updates from the cloud: asks for the newest image, downloads and installs it (specification 1, 3.2). */
import { retryAfterMs } from '../../base/retry-after.ts';
import type { BootSlots, SystemSlots } from '../../bindings/boot.ts';
import { parseJson } from '../../http/body.ts';
import { signatureOf } from '../../http/delivery.ts';
import type { Outbound } from '../../http/outbound.ts';
import { under, urlFault } from '../../http/urls.ts';
import type { LookOptions, UpdateSource, Updates } from '../../image/updates.ts';
import { isNewer } from '../../image/version.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Node } from '../../kernel/node.ts';
import { wordsOf } from '../../kernel/validator.ts';
import { FirmwareOffer } from './contract.ts';
import { download } from './download.ts';
import { cloudOf, fieldsFor } from './settings.ts';

const EVERY_MS = 6 * 3_600_000;
const SOONEST_MS = 60_000;
const OFFER_DEADLINE_MS = 10_000;
const OFFER_BYTES = 4096;

/** What updates from the cloud need of the node. */
export type FirmwareNode = Pick<Node, 'deviceId' | 'settings' | 'image' | 'contract' | 'log'> & {
  readonly bindings: {
    readonly boot: { readonly slots?: Pick<BootSlots, 'failed'>; readonly system?: Pick<SystemSlots, 'failed'> };
  };
};

/** The cloud as a source of updates, for requests (`look`) and by the update policy (`follow`). */
export class Firmware implements UpdateSource {
  readonly #node: FirmwareNode;
  readonly #outbound: Pick<Outbound, 'read' | 'open'>;
  readonly #updates: Pick<Updates, 'policy' | 'install'>;
  readonly #retryMs: number | undefined;
  /** When the cloud asked to be asked again. */
  #againMs = EVERY_MS;

  /** `retryMs`: the first pause of a download that broke off. */
  constructor(
    node: FirmwareNode,
    outbound: Pick<Outbound, 'read' | 'open'>,
    updates: Pick<Updates, 'policy' | 'install'>,
    retryMs?: number,
  ) {
    this.#retryMs = retryMs;
    this.#node = node;
    this.#outbound = outbound;
    this.#updates = updates;
  }

  /** Whether URL and token are set. */
  get isConfigured(): boolean {
    const { url, token } = cloudOf(this.#node.settings);
    return url !== '' && token !== '';
  }

  /** The time until `follow` is due again; undefined without a cloud, or if the image cannot install updates. */
  everyMs(): number | undefined {
    return this.isConfigured ? this.#againMs : undefined;
  }

  /**
   * Asks for a newer image and installs it if `apply` is true. Resolves with its version, or undefined. Rejects with an
   * ApiError: `cloud_unreachable`, or why the image is refused.
   */
  async look({ apply, signal }: LookOptions): Promise<string | undefined> {
    const offer = await this.#offer(signal);
    if (offer !== undefined && apply) await this.#install(offer, { waits: false, ...(signal && { signal }) });
    return offer?.version;
  }

  /**
   * Applies the update policy: installs a newer image or logs it. A version that was rolled back is not installed
   * again.
   */
  async follow(signal: AbortSignal): Promise<void> {
    const { bindings, log } = this.#node;
    const { policy } = this.#updates;
    if (policy === 'off') return;
    const offer = await this.#offer(signal);
    const { slots, system } = bindings.boot;
    const failed = [...(slots?.failed ?? []), ...(system?.failed ?? [])];
    if (offer === undefined || failed.includes(offer.version)) return;
    if (policy === 'auto') await this.#install(offer, { waits: true, signal });
    else log.info({ version: offer.version }, 'a newer image is available');
  }

  /** Asks the cloud for its image for this variant; undefined unless it is newer than the running one. */
  async #offer(signal?: AbortSignal): Promise<Found | undefined> {
    const { deviceId: node, settings, image, contract } = this.#node;
    const { url, token } = cloudOf(settings);
    const query = new URLSearchParams({ variant: image.variant, version: image.version, node });
    const asked = under(url, `firmware?${query}`);
    const request = {
      url: asked,
      headers: fieldsFor(token, image),
      deadlineMs: OFFER_DEADLINE_MS,
      ...(signal && { signal }),
    };
    this.#againMs = EVERY_MS;
    const { status, headers, body } = await this.#outbound.read('GET', request, OFFER_BYTES).catch(unreachable);
    if (status === 204) {
      this.#againMs = againMs(headers['retry-after']);
      return undefined;
    }
    if (status !== 200) throw new ApiError('cloud_unreachable', `the cloud answered ${status}`);
    const offer = attempt(() => parseJson(body));
    const fault = contract.fault(FirmwareOffer, offer);
    if (fault !== undefined) throw new ApiError('cloud_unreachable', `not an offer: ${wordsOf(fault)}`);
    const found = offer as FirmwareOffer;
    const at = attempt(() => new URL(found.url, asked)) as URL | undefined;
    const isHere = at?.origin === new URL(asked).origin;
    // Another origin is where whoever knows the token points to.
    const isMeant = isHere || headers['x-node-signature'] === signatureOf(body, token);
    if (at === undefined || !isMeant || urlFault(at.href) !== undefined) {
      throw new ApiError('cloud_unreachable', 'the image has another origin than the offer, which is not signed');
    }
    return isNewer(found.version, image.version) ? { ...found, url: at.href, isHere } : undefined;
  }

  async #install(
    { url, version, length, sha256, isHere }: Found,
    { waits, signal }: { readonly waits: boolean; readonly signal?: AbortSignal },
  ): Promise<void> {
    const { deviceId, settings, image } = this.#node;
    const over = new AbortController();
    const either = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
    try {
      // The token must be sent only to the origin that it was set for.
      const headers = isHere
        ? { ...fieldsFor(cloudOf(settings).token, image), 'X-NODE-Id': deviceId }
        : fieldsFor('', image);
      const retry = this.#retryMs === undefined ? {} : { retryMs: this.#retryMs };
      const chunks = await download(this.#outbound, { url, headers, length, signal: either, waits, ...retry });
      await this.#updates.install({
        ...{ version, length, sha256, anyVariant: false, chunks },
        ...(signal && { admitted: () => signal.throwIfAborted() }),
      });
    } finally {
      over.abort();
    }
  }
}

/** An offer of a newer image with its whole URL; `isHere`: it has the origin of the offer. */
interface Found extends FirmwareOffer {
  readonly isHere: boolean;
}

/** Time until the next question. With no offer the cloud may say when one is to be had, within the usual time. */
const againMs = (asked: string | undefined): number =>
  Math.min(EVERY_MS, Math.max(SOONEST_MS, retryAfterMs(asked) ?? EVERY_MS));

const unreachable = (error: Error): never => {
  throw new ApiError('cloud_unreachable', error.message.slice(0, 200));
};

function attempt(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}
