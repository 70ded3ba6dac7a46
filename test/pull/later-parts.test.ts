/** Jobs of several commands of which a later one cannot be printed: nothing of them leaves. */
import { beforeEach, expect, it } from 'vitest';
import { until } from '../node.ts';
import { startPull } from './pulling.ts';
import { receipt, startTill, type Till } from './till.ts';

let till: Till;
beforeEach(async () => {
  till = await startTill();
  return till.stop;
});

it('nothing of a job leaves whose last command has a bar code that cannot be printed', async () => {
  const bad = '<text>&lt;a&gt;&#10;</text><barcode type="ean13">2012345678901</barcode>';
  till.server.queue.push(
    receipt('a', `<pulse/>${bad}`),
    receipt('b', `<text>&lt;a&gt;&#10;</text><command>41</command>${bad}`),
  );
  await startPull(till.options, ['--allow-drawer']);
  await until(() => till.server.heard.length === 2);
  for (const heard of till.server.heard)
    expect(heard).toMatchObject({
      success: false,
      code: 'SchemaError',
      detail: expect.stringContaining('check digit'),
    });
  expect([till.times('a'), till.node.printer.pulses]).toEqual([0, []]);
});
