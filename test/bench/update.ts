/** An image of 64 MB on its way into its slot: memory, and speed beside sha256sum of the same file. */
import { execFileSync } from 'node:child_process';
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { createReadStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAX_IMAGE_BYTES } from '../../runtime/image/format.ts';
import { pack } from '../../runtime/image/pack.ts';
import { alternate, type Entry, rssOf } from './measure.ts';
import { startTwin } from './twin.ts';

const MB = 1024 * 1024;
const ROUNDS = 5;
const GROWTH_MB = 16;
const UPDATE_KEY = 'update-key-0123456789';

/**
 * Signed by nobody that the twin trusts: it is received, written and hashed to the last byte, and refused then, so that it
 * can be sent again.
 */
function largestImage(): Buffer {
  const bytes = randomBytes(MAX_IMAGE_BYTES - 4096);
  const key = generateKeyPairSync('ed25519').privateKey;
  return pack({ variant: 'twin', version: '9.9.9', floor: 1 }, [{ name: 'main.js', bytes }], key);
}

export async function updateBench(): Promise<Entry[]> {
  const directory = mkdtempSync(join(tmpdir(), 'tillnode-bench-'));
  const file = join(directory, 'image');
  const image = largestImage();
  const { length } = image;
  const sha256 = createHash('sha256').update(image).digest('hex');
  writeFileSync(file, image);
  const { child, port } = await startTwin('twin', 'launcher');
  const upload = async () => {
    const started = performance.now();
    const { status, text } = await post(port, file, { 'Content-Length': `${length}`, 'X-NODE-Image-Sha256': sha256 });
    const took = performance.now() - started;
    if (status !== 422 || !text.includes('image_invalid')) throw new Error(`unexpected answer: ${status} ${text}`);
    return length / MB / (took / 1000);
  };
  const sum = async () => {
    const started = performance.now();
    execFileSync('sha256sum', [file]);
    return length / MB / ((performance.now() - started) / 1000);
  };
  try {
    await fetch(`http://127.0.0.1:${port}/update`, { method: 'PUT', body: JSON.stringify({ updateKey: UPDATE_KEY }) });
    // What runs is the launcher's child.
    const pid = Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim());
    const before = rssOf(pid);
    await upload();
    const growth = (peakOf(pid) - before) / MB;
    await sum();
    const rate = await alternate(ROUNDS, upload, sum);
    return [
      { name: 'update.rss', ratio: growth / GROWTH_MB, ours: growth, theirs: GROWTH_MB, unit: 'MB' },
      { name: 'update.rate', ratio: rate.ours / rate.theirs, ...rate, unit: 'MB/s' },
    ];
  } finally {
    await child.end();
    rmSync(directory, { recursive: true, force: true });
  }
}

function post(port: number, file: string, fields: object): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${UPDATE_KEY}`, ...fields };
    const sent = request({ host: '127.0.0.1', port, method: 'POST', path: '/update', headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += String(chunk);
      });
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    sent.on('error', reject);
    createReadStream(file, { highWaterMark: MB }).pipe(sent);
  });
}

const peakOf = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
