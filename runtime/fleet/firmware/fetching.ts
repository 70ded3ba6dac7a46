/** Images that are not in the folder come from the bucket, each once; nobody who asks waits for it. */
import { backoff } from '../../base/backoff.ts';
import { Busy } from '../http/errors.ts';
import type { Bucket, Stored } from './bucket.ts';
import type { Images } from './images.ts';

/** Images that come at a time. */
const AT_A_TIME = 2;
/** After one that could not be had it is left for so long, twice as long with each failure. */
const AGAIN_SECONDS = 5;
const AGAIN_MAX_SECONDS = 60;

/** What fetching needs. */
export interface FetchingParts {
  readonly images: Images;
  readonly bucket: Bucket;
  /** Told what could not be had. */
  readonly report: (error: Error) => void;
}

/** Gets images from the bucket. */
export class Fetching {
  readonly #parts: FetchingParts;
  readonly #underWay = new Map<string, Promise<void>>();
  /** Images of releases alone, and so not more than there are. */
  readonly #failed = new Map<string, { readonly times: number; readonly until: number }>();

  constructor(parts: FetchingParts) {
    this.#parts = parts;
  }

  /** Sees to it that an image of a release comes which is not in the folder, and throws Busy until it is there. */
  begin(image: Stored): never {
    const { sha256 } = image;
    const failed = this.#failed.get(sha256);
    const seconds = failed === undefined ? 0 : Math.ceil((failed.until - performance.now()) / 1000);
    if (seconds > 0) throw new Busy('the image cannot be had from the bucket now', seconds);
    if (!this.#underWay.has(sha256) && this.#underWay.size < AT_A_TIME) {
      const fetched = this.#fetch(image).finally(() => this.#underWay.delete(sha256));
      this.#underWay.set(sha256, fetched);
    }
    throw new Busy('the image is on its way from the bucket');
  }

  /** Resolves when nothing is under way. The bucket is closed by then. */
  async end(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  async #fetch(image: Stored): Promise<void> {
    const { images, bucket, report } = this.#parts;
    try {
      // It may have come since that was looked after.
      if ((await images.lengthOf(image.sha256)) !== undefined) return;
      await images.fetch(image, bucket);
      this.#failed.delete(image.sha256);
    } catch (error) {
      const times = 1 + (this.#failed.get(image.sha256)?.times ?? 0);
      const seconds = backoff(times, AGAIN_SECONDS, AGAIN_MAX_SECONDS);
      this.#failed.set(image.sha256, { times, until: performance.now() + 1000 * seconds });
      if (!bucket.closing.aborted) report(error as Error);
    }
  }
}
