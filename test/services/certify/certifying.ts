/** A certification in the page: what a person answers there, and does with the devices of the twin. */
import { once } from 'node:events';
import type { Page } from 'playwright-core';
import { CODES } from '../../../plugins/scanner/certify.ts';
import { opened } from '../../node.ts';
import type { Twin } from '../../page/twin.ts';

/** DLE EOT 1 on port 9100 makes the node read the status of the printer at once. */
async function readStatus({ rawPort }: Twin): Promise<void> {
  const socket = await opened(`127.0.0.1:${rawPort}`);
  socket.end(Buffer.from([0x10, 4, 1]));
  socket.resume();
  await once(socket, 'close');
}

const moved = async (twin: Twin, change: object) => {
  await twin.call('PUT', '/twin/printer', change);
  await readStatus(twin);
};

/** The plug of a device of the twin, by its name, pulled and put in again. */
async function replug(twin: Twin, name: string): Promise<void> {
  const { devices } = await twin.call<{ devices: Record<string, string>[] }>('GET', '/twin/devices');
  const { vendorId, productId } = devices.find((device) => device['name'] === name) ?? {};
  await twin.call('POST', '/twin/attach', { vendorId, productId, attached: false });
  await twin.call('POST', '/twin/attach', { vendorId, productId });
}

/** Does what a question asks for; what begins with `>` is typed, `*` is a button. */
type Move = string | (() => Promise<unknown>);
export type Script = readonly (readonly [id: string, move: Move])[];

/** By the kind of device: what is answered and done, question by question in their order, by their ids. */
export const scripts = (twin: Twin): Readonly<Record<'printer' | 'scanner' | 'scale', Script>> => ({
  scale: [
    ...first('DYMO', 'M10', () => replug(twin, 'scale')),
    ['zero', () => twin.call('PUT', '/twin/scale', { grams: 0 })],
    ['coin', () => twin.call('PUT', '/twin/scale', { grams: 5 })],
    ['weight', '>5 g'],
    ['empty', () => twin.call('PUT', '/twin/scale', { grams: 0 })],
    ['off', () => twin.call('PUT', '/twin/scale', { attached: false })],
  ],
  scanner: [
    ...first('Honeywell', 'HID POS scanner', () => replug(twin, 'scanner')),
    ['where', '*screen'],
    ...CODES.map(({ value }, at) => [`code-${at + 1}`, () => twin.call('POST', '/twin/scan', { value })] as const),
  ],
  printer: [
    ...first('EPSON', 'TM-T20III', () => replug(twin, 'printer')),
    ...([
      ['columns', '*48'],
      ['dots', '*576'],
      ['pages', '*epson'],
      ['cut', '*clean'],
      ['picture', '*yes'],
    ] as const),
    ...([
      ['symbols', '*both'],
      ['smooth', '*smooth'],
    ] as const),
    ['cover-open', () => moved(twin, { cover: 'open' })],
    ['cover-closed', () => moved(twin, { cover: 'closed' })],
    ['paper-out', () => moved(twin, { paper: 'out' })],
    ['paper-in', () => moved(twin, { paper: 'ok' })],
    ['paper-low', '*skip'],
    ['drawer', '*yes'],
    ['drawer-2', '*yes'],
    ['drawer-seen', () => readStatus(twin)],
    ['drawer-closed', () => moved(twin, { drawer: 'closed' })],
    ['drawer-5', '*no'],
  ],
});

const first = (make: string, model: string, again: () => Promise<unknown>): Script => [
  ['make', `>${make}`],
  ['model', `>${model}`],
  ['replug', again],
];

/** The page at one device, with its run begun. */
export async function begin(page: Page): Promise<void> {
  await page.locator('main button.main').click();
}

/** Goes on until the question `until`, which is left to be answered, or through all of them. */
export async function goThrough(page: Page, script: Script, until?: string): Promise<void> {
  for (const [id, move] of script) {
    const question = page.locator(`section[data-question="${id}"]`);
    await question.waitFor();
    if (id === until) return;
    if (typeof move === 'string' && move.startsWith('>')) {
      await question.locator('input').fill(move.slice(1));
      await question.locator('button.main').click();
    } else if (typeof move === 'string') await question.locator(`button[data-answer="${move.slice(1)}"]`).click();
    else await move();
  }
}
