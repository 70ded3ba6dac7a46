/** Jobs of port 9100 that leave text on the line, where another one comes behind or between: no line has text of two. */
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { noTime, realTime, start } from './next-receipt.ts';

beforeEach(noTime);
afterEach(realTime);

/** Text of one job is of one letter. A part that is parted from the next one by another job may be a line of its own. */
const part = fc.array(fc.constantFrom('', '\n', '\u001ba\u0001', '\u001bE\u0001', '\u001b!\u0000'), { maxLength: 3 });
const job = fc.record({
  parts: fc.array(part, { minLength: 1, maxLength: 3 }),
  ending: fc.constantFrom('in order', 'in order', 'aborted' as const),
});

it('each line is of one job, and what ended in order is on the paper, whoever was let in meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(job, fc.array(job, { minLength: 1, maxLength: 3 }), async (patient, others) => {
      const { printer, job } = await start();
      const wanted = new Map<string, number>();
      const textOf = (letter: string, pieces: readonly string[]) =>
        letter + pieces.map((each) => each + letter).join('');
      const count = (letter: string, text: string) =>
        wanted.set(letter, (wanted.get(letter) ?? 0) + text.split(letter).length - 1);
      const one = job('port9100');
      for (const [turn, pieces] of patient.parts.entries()) {
        await one.begin();
        const text = textOf('p', pieces);
        await one.write(Buffer.from(text));
        if (patient.ending === 'in order') count('p', text);
        await one.yield();
        const other = others[turn % others.length]!;
        const letter = String.fromCharCode(0x41 + turn);
        const next = job('port9100');
        await next.begin();
        const whole = other.parts.map((each) => textOf(letter, each)).join('');
        await next.write(Buffer.from(whole));
        await next.end(other.ending === 'in order');
        if (other.ending === 'in order') count(letter, whole);
      }
      await one.begin();
      await one.end(patient.ending === 'in order');
      const last = job('port9100');
      await last.begin();
      await last.write(Buffer.from('last\n'));
      await last.end(true);
      const lines = printer.paperText().split('\n');
      for (const line of lines)
        expect(new Set(line.replace('last', 'l').replaceAll(' ', '')).size).toBeLessThanOrEqual(1);
      expect(lines).toContain('last');
      for (const [letter, times] of wanted)
        expect([letter, lines.join('').split(letter).length - 1]).toEqual([letter, times]);
    }),
    { numRuns: 300, seed: 27 },
  );
});
