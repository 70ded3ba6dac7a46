/**
 * A till that prints numbered receipts one after the other, each with a key of its own, and sends one again until it is
 * answered. Prints `answered <number> <what>` for each: `printed`, `not-printed`, `in-doubt`, or the refusal. SIGTERM ends it behind a receipt.
 * Arguments: URL of the node, number of the first receipt.
 */
import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { receipt } from '../../keyed-receipt.ts';

const [url = '', first = '1'] = process.argv.slice(2);
/** Nothing came of it yet, or nobody knows yet. */
const AGAIN = /^(key_in_use|busy|restarting|no_printer)$/;
let over = false;
process.on('SIGTERM', () => {
  over = true;
});

async function answerTo(name: string): Promise<string> {
  for (;;) {
    const found = await fetch(`${url}/print`, {
      method: 'POST',
      body: JSON.stringify(receipt(name)),
      headers: { 'Idempotency-Key': name },
    })
      .then(
        async (response) => (await response.json()) as { ok: boolean; error?: string; detail?: string; bytes?: number },
      )
      .catch(() => undefined);
    if (found?.ok === true) return 'printed';
    if (found?.error === 'write_failed') return found.bytes === 0 ? 'not-printed' : 'in-doubt';
    if (found?.error !== undefined && !AGAIN.test(found.error)) return `${found.error} ${found.detail}`;
    await delay(10);
  }
}

for (let number = Number(first); !over; number += 1) {
  writeSync(1, `answered ${number} ${await answerTo(`till-${number}`)}\n`);
}
