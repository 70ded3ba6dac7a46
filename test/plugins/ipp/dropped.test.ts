/** What comes behind a refusal is dropped, and holds no memory until a timer ends. */
import { expect, it } from 'vitest';
import { postFrom, startIppNode } from './ipp-node.ts';
import { begin, message, PRINT_JOB } from './messages.ts';

const MIB = 1024 * 1024;

it('documents of 900 KB that are refused take no memory of the size of all of them', async () => {
  const node = await startIppNode();
  try {
    const parts = [...begin(`ipp://${node.ipp}/ipp/print`), [0x49, 'document-format', 'application/pdf'] as const];
    const body = Buffer.concat([message(PRINT_JOB, parts), Buffer.alloc(900_000, 'x')]);
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    for (let n = 0; n < 300; n += 1) {
      await postFrom('127.0.0.1', node.ipp, body);
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    expect(most).toBeLessThan(128 * MIB);
  } finally {
    await node.stop();
  }
});
