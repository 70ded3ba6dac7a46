/** Images that are not in the folder come from the bucket, each once; nobody who asks waits for it. */
import { setTimeout as delay } from 'node:timers/promises';
import { backoff } from '../../base/backoff.ts';
import type { Queries } from '../database/database.ts';
import { Busy } from '../http/errors.ts';
import type { Bucket, Stored } from './bucket.ts';
import type { Images } from './images.ts';

/** Images that come at a time. */
const AT_A_TIME = 2;
/** After one that could not be had it is left for so long, twice as long with each failure. */
const AGAIN_SECONDS = 5;
const AGAIN_MAX_SECONDS = 60;
/** The database is asked once in so long, for all that strangers ask for. */
const ASK_MS = 1000;
const ASKED = 256;
const DIGEST = /^[0-9a-f]{64}$/;

/** What fetching needs. */
export interface FetchingParts {
  readonly database: Queries;
  readonly images: Images;
  readonly bucket: Bucket;
  /** Told what could not be had. */
  readonly report: (error: Error) => void;
}

/** Gets images from the bucket. */
export class Fetching {
  readonly #parts: FetchingParts;
  readonly #known: Known;
  readonly #underWay = new Map<string, Promise<void>>();
  /** Images of releases alone, and so not more than there are. */
  readonly #failed = new Map<string, { readonly times: number; readonly until: number }>();

  constructor(parts: FetchingParts) {
    this.#parts = parts;
    this.#known = new Known(parts.database);
  }

  /**
   * Sees to it that an image comes which is not in the folder, and throws Busy until it is there. Its length in bytes where it has come
   * meanwhile; undefined where it is of no release.
   */
  async begin(sha256: string): Promise<number | undefined> {
    const image = DIGEST.test(sha256) ? await this.#known.find(sha256) : undefined;
    if (image === undefined) return undefined;
    const length = await this.#parts.images.lengthOf(sha256);
    if (length !== undefined) return length;
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

/** Which images are of a release, asked for many at a time: who asks for what there is not may ask as often as he likes. */
class Known {
  readonly #database: Queries;
  #asked = new Set<string>();
  #next: Promise<ReadonlyMap<string, Stored>> | undefined;
  #last = Number.NEGATIVE_INFINITY;

  constructor(database: Queries) {
    this.#database = database;
  }

  async find(sha256: string): Promise<Stored | undefined> {
    if (this.#asked.size >= ASKED) throw new Busy('so many ask for images that are not here');
    this.#asked.add(sha256);
    this.#next ??= this.#ask();
    return (await this.#next).get(sha256);
  }

  async #ask(): Promise<ReadonlyMap<string, Stored>> {
    await delay(Math.max(0, this.#last + ASK_MS - performance.now()));
    const asked = this.#asked;
    [this.#asked, this.#next, this.#last] = [new Set(), undefined, performance.now()];
    const found = await this.#database.query<Stored>(
      'SELECT sha256, length FROM release WHERE sha256 = ANY (ARRAY(SELECT json_array_elements_text($1::json)))',
      [JSON.stringify([...asked])],
    );
    return new Map(found.map((each) => [each.sha256, each]));
  }
}
