/** An image of 64 MB on its way into its slot: memory, and speed beside sha256sum of the same file. */
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUNDLE, MAIN } from '../../runtime/image/compiled.ts';
import { MAX_IMAGE_BYTES } from '../../runtime/image/format.ts';
import { pack, readKey } from '../../runtime/image/pack.ts';
import { alternate, type Entry, rssOf } from './measure.ts';
import { startTwin } from './twin.ts';

const MB = 1024 * 1024;
const ROUNDS = 5;
const GROWTH_MB = 16;
const UPDATE_KEY = 'update-key-0123456789';

const DEVELOPMENT_KEY = '.cache/keys/development.pem';

/** The twin itself, with as much beside it as an image may have. */
function largestImage(): Buffer {
  const twin = ['main.js', MAIN, BUNDLE].map((name) => ({ name, bytes: readFileSync(`dist/twin/${name}`) }));
  const length = twin.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const beside = { name: 'beside', bytes: randomBytes(MAX_IMAGE_BYTES - length - 4096) };
  return pack({ variant: 'twin', version: '9.9.9', floor: 1 }, [...twin, beside], readKey(DEVELOPMENT_KEY));
}

export async function updateBench(): Promise<Entry[]> {
  const directory = mkdtempSync(join(tmpdir(), 'tillnode-bench-'));
  const file = join(directory, 'image');
  const image = largestImage();
  const { length } = image;
  const sha256 = createHash('sha256').update(image).digest('hex');
  writeFileSync(file, image);
  let growth = 0;
  /** To the answer that says it is installed: received, written, hashed, verified, extracted and synced. */
  const upload = async () => {
    const { child, port } = await startTwin({ file: 'launcher' });
    try {
      await fetch(`http://127.0.0.1:${port}/update`, {
        method: 'PUT',
        body: JSON.stringify({ updateKey: UPDATE_KEY }),
      });
      // What runs is the launcher's child.
      const pid = Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim());
      // Else the peak would be that of the start.
      writeFileSync(`/proc/${pid}/clear_refs`, '5');
      const before = rssOf(pid);
      const started = performance.now();
      const { status, text } = await post(port, file, { 'Content-Length': `${length}`, 'X-NODE-Image-Sha256': sha256 });
      const took = performance.now() - started;
      if (status !== 200) throw new Error(`unexpected answer: ${status} ${text}`);
      growth = Math.max(growth, (peakOf(pid) - before) / MB);
      return length / MB / (took / 1000);
    } finally {
      await child.end();
    }
  };
  const sum = async () => {
    const started = performance.now();
    execFileSync('sha256sum', [file]);
    return length / MB / ((performance.now() - started) / 1000);
  };
  try {
    const rate = await alternate(ROUNDS, upload, sum);
    return [
      { name: 'update.rss', ratio: growth / GROWTH_MB, ours: growth, theirs: GROWTH_MB, unit: 'MB' },
      { name: 'update.rate', ratio: rate.ours / rate.theirs, ...rate, unit: 'MB/s' },
    ];
  } finally {
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
