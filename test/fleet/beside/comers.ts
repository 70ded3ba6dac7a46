/**
 * Nodes that come for an image at once, each from an address of its own, in a process of its own: `node comers.mjs MANY LENGTH URL`. A third are cut
 * off once, at any byte, and go on where they were. Prints what came of them, as JSON.
 */
import { createHash } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const [many = '', length = '', url = ''] = process.argv.slice(2);
const LENGTH = Number(length);
const SHA256 = url.split('/').at(-1);
/** A node comes again after this time where it is not told when, or could not connect. */
const AGAIN_MS = 2000;
/** One that got nothing for so long goes on with another request. */
const SILENT_MS = 60_000;

const came = { done: 0, wrong: 0, cut: 0, resumed: 0, anew: 0, refused: 0, bytes: 0 };

/** Asks for the image from a byte on; undefined where nobody answers. */
const ask = (at: number, from: number): Promise<IncomingMessage | undefined> =>
  new Promise((resolve) => {
    const headers = from === 0 ? {} : { Range: `bytes=${from}-` };
    const localAddress = `127.${10 + (at >> 16)}.${(at >> 8) & 255}.${at & 255}`;
    const asked = get(url, { agent: false, localAddress, headers, timeout: SILENT_MS }, resolve);
    asked.once('error', () => resolve(undefined)).once('timeout', () => asked.destroy());
  });

async function fetchImage(at: number): Promise<void> {
  let digest = createHash('sha256');
  let cutAt = at % 3 === 0 ? Math.floor(Math.random() * LENGTH) : Number.POSITIVE_INFINITY;
  for (let have = 0; have < LENGTH; ) {
    const response = await ask(at, have);
    if (response?.statusCode !== 200 && response?.statusCode !== 206) {
      came.refused += 1;
      response?.resume();
      await pause(1000 * Number(response?.headers['retry-after'] ?? 0) || AGAIN_MS);
      continue;
    }
    if (have > 0 && response.statusCode === 206) came.resumed += 1;
    if (have > 0 && response.statusCode === 200) {
      came.anew += 1;
      have = 0;
      digest = createHash('sha256');
    }
    try {
      for await (const piece of response as AsyncIterable<Buffer>) {
        digest.update(piece);
        have += piece.length;
        came.bytes += piece.length;
        if (have >= cutAt) break;
      }
    } catch {
      // It goes on where it is.
    }
    if (have < cutAt || have >= LENGTH) continue;
    cutAt = Number.POSITIVE_INFINITY;
    came.cut += 1;
    response.destroy();
  }
  came.done += 1;
  if (digest.digest('hex') !== SHA256) came.wrong += 1;
}

await Promise.all(Array.from({ length: Number(many) }, (_, at) => fetchImage(at)));
process.stdout.write(JSON.stringify(came));
