/** IPP by the test files of CUPS, which are PWG's: IPP/1.1, IPP/2.0 and IPP Everywhere. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { needTools } from '../../tools.ts';
import { type IppNode, startIppNode } from './ipp-node.ts';
import { jpegOf } from './pages.ts';

const FILES = ['ipp-1.1.test', 'ipp-2.0.test', 'ipp-everywhere.test'];
/** Optional operations, which are not offered, and what a printer without PDF is not asked. */
const SKIPPED =
  /Print-URI|Send-URI|Create-Job Operation|Cancel-Job Operation|PDF|pwg-raster|Print-Job with|Print [a-z-]+|Release-Job|Hold/;
const missing = needTools(['ipptool', 'cjpeg']);
const folder = mkdtempSync(join(tmpdir(), 'ipptool-'));
let node: IppNode;

beforeAll(async () => {
  if (missing) return;
  node = await startIppNode();
  // The files cancel a job that they have just sent.
  node.printer.set({ slow: 150_000 });
  // Debian has the files without the documents that they name: ipptool stops at those that are not there.
  for (const name of FILES) {
    const text = readFileSync(`/usr/share/cups/ipptool/${name}`, 'utf8');
    writeFileSync(join(folder, name), text.replaceAll(/^(\s+FILE )(?!\$)\S+$/gm, '$1document.jpg'));
  }
  writeFileSync(join(folder, 'document.jpg'), jpegOf());
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await node?.stop();
});

const run = (file: string) =>
  new Promise<string>((resolve) => {
    const args = ['-V', '2.0', '-tf', 'document.jpg', `ipp://${node.ipp}/ipp/print`, file];
    execFile('ipptool', args, { cwd: folder, timeout: 30_000 }, (_error, out, err) => resolve(out + err));
  });

it.skipIf(missing).each(FILES)('passes %s', async (file) => {
  const out = await run(file);
  expect(out.match(/.*\[FAIL\](?:\n {8}.*)*/g) ?? []).toEqual([]);
  expect((out.match(/.*\[SKIP\]/g) ?? []).filter((line) => !SKIPPED.test(line))).toEqual([]);
  expect(out).toContain('[PASS]');
});
