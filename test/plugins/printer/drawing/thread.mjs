/** A drawing thread that does what the first line of its job says, and counts its jobs in the answer. */
import { parentPort } from 'node:worker_threads';

let jobs = 0;

const DEEDS = {
  hang: () => {
    for (;;);
  },
  slow: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300),
  fault: () => parentPort.postMessage({ fault: 'a face is damaged' }),
  crash: () => {
    throw new Error('the thread is broken');
  },
  exit: () => process.exit(3),
  memory: () => {
    const kept = [];
    for (;;) kept.push(Array.from({ length: 100_000 }, (_, n) => ({ n })));
  },
};

parentPort.on('message', ({ lines: [{ value }], as }) => {
  jobs += 1;
  // A text that has to be shaped says it in its last word.
  const word = value.split(' ').at(-1);
  DEEDS[word]?.();
  const said = `${word} ${jobs}`;
  parentPort.postMessage(
    as === 'paper'
      ? { ok: true, svg: said }
      : { ok: true, bytes: new TextEncoder().encode(said), substituted: 0, drawn: [] },
  );
});
