/** IPP by the test files of CUPS, which are PWG's: IPP/1.1, IPP/2.0 and IPP Everywhere. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { needTools } from '../../tools.ts';
import { type IppNode, startIppNode } from './ipp-node.ts';
import { argumentsOf, copyFiles, FILES, faultsIn } from './ipptool.ts';
import { jpegOf } from './pages.ts';

const missing = needTools(['ipptool', 'cjpeg']);
const folder = mkdtempSync(join(tmpdir(), 'ipptool-'));
let node: IppNode;

beforeAll(async () => {
  if (missing) return;
  node = await startIppNode();
  // The files cancel a job that they have just sent.
  node.printer.set({ slow: 150_000 });
  copyFiles(folder, jpegOf());
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await node?.stop();
});

const run = (file: string) =>
  new Promise<string>((resolve) => {
    const options = { cwd: folder, timeout: 30_000 };
    execFile('ipptool', argumentsOf(`ipp://${node.ipp}/ipp/print`, file), options, (_error, out, err) =>
      resolve(out + err),
    );
  });

it.skipIf(missing).each(FILES)('the node passes %s', async (file) => {
  const out = await run(file);
  expect(faultsIn(out)).toEqual([]);
  expect(out).toContain('[PASS]');
});
