/** An image with the endpoints `receipt` and `kitchen`, and two printers made by the kernel, each on its own bus. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { epsonGadget } from './devices.ts';
import { EpsonPrinter, TM_T20III } from './epson.ts';
import { GadgetPrinter, until } from './gadget.ts';
import { endpointIs, type Image, post, RAW_PORT, type Status, startImage } from './image.ts';
import { type It, story } from './suite.ts';

/** Folder of the image in `dist`. */
export const TWO_PRINTERS = 'lab-two-printers';
const ENDPOINTS = ['receipt', 'kitchen'] as const;
type Endpoint = (typeof ENDPOINTS)[number];
const PORTS = { receipt: RAW_PORT, kitchen: RAW_PORT + 1 };
const PULSE = '\x1bp\x00';

const print = (endpoint: Endpoint, value: string) =>
  post('/print', { type: 'print', id: value, endpoint, lines: [{ type: 'text', value }] });
const gives = async (endpoint: Endpoint, value: string) => {
  const { code, result } = await print(endpoint, value);
  assert.equal(code, 200, JSON.stringify(result));
};
const peripheral = ({ peripherals }: Status, id: Endpoint) => peripherals.find(({ endpoint }) => endpoint === id);

export function twoPrintersSuite(runner: It): void {
  let image: Image;
  let printers: Record<Endpoint, EpsonPrinter>;
  const it = story(runner);
  const each = <T>(work: (endpoint: Endpoint) => Promise<T>) => Promise.all(ENDPOINTS.map(work));
  const comes = (endpoint: Endpoint, text: string) =>
    until(async () => printers[endpoint].job.includes(text) || undefined, `${text} at ${endpoint}`);
  /** Plugs them in one after the other, and says what tells them apart. */
  const plug = async (...endpoints: readonly Endpoint[]) => {
    const known: unknown[] = [];
    for (const endpoint of endpoints) {
      await printers[endpoint].gadget.plug();
      known.push(peripheral(await endpointIs(endpoint, 'bound'), endpoint)?.knownBy);
    }
    return known;
  };

  it('prints at each of two printers what is sent there, and kicks the drawer of each alone', async () => {
    printers = {
      receipt: new EpsonPrinter(await epsonGadget()),
      kitchen: new EpsonPrinter(await GadgetPrinter.create({ ...TM_T20III, port: 2, serial: 'X7XX000003' })),
    };
    image = await startImage(TWO_PRINTERS);
    assert.deepEqual(await plug('receipt', 'kitchen'), ['serial', 'serial']);
    await each((endpoint) => gives(endpoint, `for the ${endpoint}`));
    await each((endpoint) => comes(endpoint, `for the ${endpoint}\n`));
    await post('/drawer/kick', { type: 'drawer_kick', id: 'kick', endpoint: 'kitchen' });
    await comes('kitchen', PULSE);
    assert.ok(!printers.receipt.job.includes(PULSE));
    assert.ok(!printers.receipt.job.includes('for the kitchen') && !printers.kitchen.job.includes('for the receipt'));
  });

  it('prints what comes over the port of each', async () => {
    await each(async (endpoint) => {
      const socket = connect(PORTS[endpoint], '127.0.0.1');
      socket.resume();
      socket.end(`raw for the ${endpoint}\n`);
      await once(socket, 'close');
    });
    await each((endpoint) => comes(endpoint, `raw for the ${endpoint}\n`));
    assert.ok(!printers.receipt.job.includes('raw for the kitchen'));
    assert.ok(!printers.kitchen.job.includes('raw for the receipt'));
  });

  it('loses one and finds it again at its place, while the other prints on', async () => {
    await printers.receipt.gadget.unplug();
    await endpointIs('receipt', 'gone');
    const refused = connect(PORTS.receipt, '127.0.0.1');
    const [error] = await once(refused, 'error');
    assert.equal((error as NodeJS.ErrnoException).code, 'ECONNREFUSED');
    assert.equal((await print('receipt', 'nobody')).result['error'], 'no_printer');
    await gives('kitchen', 'goes on');
    await comes('kitchen', 'goes on\n');
    printers.receipt.newJob();
    await plug('receipt');
    await gives('receipt', 'is back');
    await comes('receipt', 'is back\n');
    assert.ok(!printers.kitchen.job.includes('is back'));
  });

  it('tells them apart by their ports where they have no serial numbers', async () => {
    await each((endpoint) => printers[endpoint].gadget.unplug());
    await each((endpoint) => endpointIs(endpoint, 'gone'));
    await each((endpoint) => printers[endpoint].gadget.setSerial(''));
    assert.deepEqual(await plug('receipt', 'kitchen'), ['port', 'port']);
    await each((endpoint) => printers[endpoint].gadget.unplug());
    await each((endpoint) => endpointIs(endpoint, 'gone'));
    for (const endpoint of ENDPOINTS) printers[endpoint].newJob();
    await plug('kitchen', 'receipt');
    await each((endpoint) => gives(endpoint, `still the ${endpoint}`));
    await each((endpoint) => comes(endpoint, `still the ${endpoint}\n`));
    assert.equal(await image.stop(), 0);
    await each((endpoint) => printers[endpoint].gadget.unplug());
    await printers.receipt.gadget.setSerial(printers.receipt.gadget.description.serial);
  });
}
