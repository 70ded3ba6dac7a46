import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Spool } from '../../../plugins/ipp/spool.ts';

it('a document that drips is given up after the time of one piece: the printer is held for it', async () => {
  const spool = new Spool(20_000);
  const dripping = (async () => {
    await spool.push(Buffer.alloc(20_000));
    for (;;) {
      await spool.push(Buffer.from('abcd'));
      await delay(2);
    }
  })();
  const reading = async () => {
    for await (const _piece of spool.read(40));
  };
  await expect(reading()).rejects.toThrow('the document stopped in the middle');
  spool.fail(new Error('over'));
  await expect(dripping).rejects.toThrow('over');
});
