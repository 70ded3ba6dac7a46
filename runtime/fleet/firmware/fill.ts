/** Images that were in the folder before there was a bucket go there, too. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Queries } from '../database/database.ts';
import type { Bucket, Stored } from './bucket.ts';
import type { Images } from './images.ts';

/** After a failure it is tried again. */
const AGAIN_MS = 60_000;

/**
 * Puts the images of releases into the bucket that are in the folder and not there. Resolves when all are, or the bucket is closed.
 * `report`: told what keeps it from that. `againMs`: for tests.
 */
export async function fillBucket(
  database: Queries,
  images: Images,
  bucket: Bucket,
  report: (error: Error) => void,
  againMs = AGAIN_MS,
): Promise<void> {
  const { closing } = bucket;
  let faults = 0;
  const tried = (work: Promise<void>) =>
    work.catch((error: Error) => {
      faults += 1;
      if (!closing.aborted) report(error);
    });
  const put = async (image: Stored) => {
    if ((await images.lengthOf(image.sha256)) === image.length && !(await bucket.has(image)))
      await images.putAgain(image);
  };
  const putAll = async () => {
    // What is uploaded from now on is there first. One that cannot be put keeps no other one from it.
    for (const each of await database.query<Stored>('SELECT DISTINCT sha256, length FROM release'))
      await tried(put(each));
  };
  do {
    faults = 0;
    await tried(putAll());
    if (faults > 0) await delay(againMs, undefined, { signal: closing }).catch(() => {});
  } while (faults > 0 && !closing.aborted);
}
