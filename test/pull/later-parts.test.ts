/** Jobs of several commands of which a later one cannot be printed: nothing of them leaves. */
import { beforeEach, expect, it } from 'vitest';
import { Journal } from '../../runtime/pull/journal.ts';
import { until } from '../node.ts';
import { startPull, stateFolder, stateOf } from './pulling.ts';
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

it('nothing of a job leaves whose last command takes more paper than a job may', async () => {
  const begin = '<text>&lt;a&gt;&#10;</text><pulse/>';
  const bodies = ['<feed line="255"/>'.repeat(40), `<text>${'&#10;'.repeat(8000)}</text>`];
  till.server.queue.push(...bodies.map((body, n) => receipt(`${n}`, `${begin}${body}`)));
  await startPull(till.options, ['--allow-drawer']);
  await until(() => till.server.heard.length === bodies.length);
  for (const heard of till.server.heard) expect(heard).toMatchObject({ success: false, code: 'RequestEntityTooLarge' });
  expect([till.times('a'), till.node.printer.pulses]).toEqual([0, []]);
});

it.each([42, 32])('a receipt for 80 mm paper is printed in the layout of %i columns', async (columns) => {
  await till.node.kernel.config.patch({ printWidthCols: columns });
  const data = Buffer.alloc(64 * 300, 0xaa).toString('base64');
  const article = '<text>Cappuccino with oat milk, large    </text><text em="true">5.40&#10;</text>';
  till.server.queue.push(receipt('a', `<image width="512" height="300">${data}</image><cut/>`));
  till.server.queue.push(
    receipt('b', `${article}<text em="false">${'n'.repeat(48)}</text><text em="true">5&#10;</text>`),
  );
  const { log } = await startPull(till.options);
  await until(() => till.server.heard.length === 2);
  expect(till.server.heard.map(({ success, detail }) => [success, detail])).toEqual([
    [true, undefined],
    [true, undefined],
  ]);
  expect(till.paper()).toContain(Buffer.from([0x1d, 0x76, 0x30, 0, (columns * 12) / 8, 0]).toString('latin1'));
  expect(till.node.printer.paperText()).toContain('5.40');
  expect(log).toContainEqual(expect.stringContaining(`512 dots is printed in the ${columns * 12} of the paper`));
});

it('a job that began while the drawer was allowed, and is not any more, is in doubt: some of it may be on paper', async () => {
  const state = stateFolder();
  const journal = new Journal(stateOf(state, till.options));
  const about = { version: '2.00', device: 'local_printer' };
  journal.take([{ id: 'a', about, commands: [{ type: 'drawer_kick', pin: 2, onMs: 100 }] }]);
  journal.begin(journal.open()[0]!);
  journal.close();
  await startPull(till.options, [], state);
  await until(() => till.server.heard.length === 1);
  expect(till.server.heard).toMatchObject([{ code: 'EX_TIMEOUT', detail: expect.stringContaining('drawer') }]);
  expect(till.node.printer.pulses).toEqual([]);
});
