/** An object of the bucket becomes a file. */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { backoff } from '../../base/backoff.ts';
import { writeAll } from '../../base/durable.ts';
import { type Bucket, BucketFault, type Stored } from './bucket.ts';
import { inTurn } from './turns.ts';

/** What breaks off goes on where it was; so often without a single byte, and it is given up. */
const FRUITLESS = 3;
const RETRY_MS = 500;

/**
 * Writes an object to a file. Rejects with a BucketFault, also where the bytes are others than its name says, and with the error of the
 * file system.
 */
export async function writeWhole(
  file: FileHandle,
  image: Stored,
  bucket: Pick<Bucket, 'read' | 'fault' | 'closing'>,
): Promise<void> {
  let digest = createHash('sha256');
  let written = 0;
  let most = 0;
  for (let fruitless = 0; written < image.length; ) {
    const before = most;
    try {
      for await (const { at, bytes } of bucket.read(image, written)) {
        // A server without ranges sends all of it again.
        if (at !== written) [digest, written] = [createHash('sha256'), at];
        digest.update(bytes);
        await inTurn(() => writeAll(file, bytes, written));
        written += bytes.length;
        most = Math.max(most, written);
      }
    } catch (error) {
      const isFruitless = most === before;
      fruitless = isFruitless ? fruitless + 1 : 0;
      const mayGoOn = error instanceof BucketFault && (error.isBrief || !isFruitless) && fruitless < FRUITLESS;
      if (!mayGoOn || bucket.closing.aborted) throw error;
      await delay(backoff(fruitless + 1, RETRY_MS));
    }
  }
  if (digest.digest('hex') !== image.sha256) throw bucket.fault(`has other bytes as ${image.sha256}`);
}
