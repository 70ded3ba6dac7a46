/** A drawing thread that does what the first line of its job says, and says in the answer by which of its pieces it was drawn: one, or as many as it is `of`, the first of them at another stage for a paper that is `staged`. */
import { parentPort } from 'node:worker_threads';

let pieces = 0;
const begun = new Map();

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

parentPort.on('message', ({ id, job, isDropped }) => {
  if (isDropped) return void begun.delete(id);
  if (job !== undefined) begun.set(id, { ...job, drawn: [] });
  const { lines, as, drawn } = begun.get(id);
  pieces += 1;
  drawn.push(pieces);
  const words = lines[0].value.split(' ');
  // A text that has to be shaped says it in its last word.
  const word = words.at(-1);
  DEEDS[word]?.();
  if (words[0] === 'staged' && drawn.length === 1) return parentPort.postMessage({ more: true, stage: 'paper' });
  if (words.includes('of') && drawn.length < Number(words[words.indexOf('of') + 1]))
    return parentPort.postMessage({ more: true });
  begun.delete(id);
  const said = `${word} ${drawn.join(' ')}`;
  parentPort.postMessage(
    as === 'paper'
      ? { ok: true, svg: new TextEncoder().encode(said) }
      : { ok: true, bytes: new TextEncoder().encode(said), substituted: 0, drawn: [] },
  );
});
