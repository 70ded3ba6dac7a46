/** Scanners and a scale on the wifi image, and a whole counter at once. */
import assert from 'node:assert/strict';
import { epsonGadget, scaleGadget, wedgeGadget } from './devices.ts';
import { EpsonPrinter } from './epson.ts';
import { until } from './gadget.ts';
import { GadgetAcm, SERIAL_SCANNER } from './gadget-acm.ts';
import { GadgetHid, GadgetScale } from './gadget-hid.ts';
import { keystrokes, POS_SCANNER, posReport, STROKES, TYPED, WEDGE, weighing } from './hid-devices.ts';
import { endpointIs, get, type Image, listen, post, put, type Status, startImage } from './image.ts';
import { driverOf, inputEventsOf } from './kernel.ts';
import { type It, story } from './suite.ts';

interface Scans {
  readonly accepted: number;
  readonly scans: readonly Readonly<Record<string, unknown>>[];
}
const scans = (): Promise<Scans> => get('/scans');
const scansOf = (accepted: number): Promise<Scans> =>
  until(async () => {
    const now = await scans();
    return now.accepted >= accepted ? now : undefined;
  }, `${accepted} scans`);
const scale = (): Promise<Record<string, unknown>> => get('/scale');
const scaleWhere = (wanted: (block: Record<string, unknown>) => boolean, what: string) =>
  until(async () => {
    const block = await scale();
    return wanted(block) ? block : undefined;
  }, what);

const portOf = ({ peripherals }: Status, endpoint: string): string =>
  String(peripherals.find((each) => each.endpoint === endpoint)?.device?.['port']);
/** An emulated machine may pause between two keys for longer than any scanner does. */
const SLOW_TYPING = { interKeyTimeoutMs: 1000 };
const wedgeEvents = () => inputEventsOf(WEDGE.vendorId, WEDGE.productId);

export function counterSuite(runner: It): void {
  let image: Image;
  let wedge: GadgetHid;
  let dymo: GadgetScale;
  let port: string;
  const it = story(runner);

  it('takes a scanner that types from the keyboard driver, so that it types into nothing else', async () => {
    wedge = await wedgeGadget();
    await wedge.plug();
    await until(async () => wedgeEvents().length > 0 || undefined, 'the kernel to take it for a keyboard');
    image = await startImage();
    port = portOf(await endpointIs('scanner', 'bound'), 'scanner');
    assert.equal(driverOf(port), 'usbfs');
    assert.deepEqual(wedgeEvents(), []);
  });

  for (const [index, layout] of (['us', 'de', 'fr'] as const).entries()) {
    it(`reads what a scanner set to the ${layout} layout types`, async () => {
      const { code, result } = await put('/config', { scanner: { layout, ...SLOW_TYPING, duplicateWindowMs: 0 } });
      assert.equal(code, 200, JSON.stringify(result));
      await wedge.report(...keystrokes(STROKES[layout]));
      const [newest] = (await scansOf(index + 1)).scans;
      assert.deepEqual([newest?.['value'], newest?.['verdict']], [TYPED, 'accepted']);
    });
  }

  it('gives the scanner back to the keyboard driver when it stops', async () => {
    assert.equal(await image.stop(), 0);
    assert.equal(driverOf(port), 'usbhid');
    await until(async () => wedgeEvents().length > 0 || undefined, 'the kernel to have its keyboard again');
    await wedge.unplug();
  });

  it('reads a POS scanner that no recipe names, with the symbology it sends', async () => {
    image = await startImage();
    const pos = await GadgetHid.create(POS_SCANNER);
    await pos.plug();
    const { peripherals } = await endpointIs('scanner', 'bound');
    const { recipe } = peripherals.find(({ endpoint }) => endpoint === 'scanner') ?? {};
    assert.deepEqual([recipe?.tier, recipe?.codec], ['derived', 'hid-pos']);
    const { events, close } = await listen('scan_read');
    await pos.report(posReport(']E0', '4006381333931'), posReport(']d2', '010400638133393110ABC'));
    const [second, first] = (await scansOf(2)).scans;
    const read = (scan: typeof first) => [scan?.['value'], scan?.['symbology'], scan?.['symbologySource']];
    assert.deepEqual(read(first), ['4006381333931', 'ean13', 'aim']);
    assert.deepEqual(read(second), ['010400638133393110ABC', 'datamatrix', 'aim']);
    await until(async () => events.length === 2 || undefined, 'two events');
    assert.deepEqual(events.map(read), [read(first), read(second)]);
    assert.deepEqual(
      events.map(({ seq }) => seq),
      [first?.['seq'], second?.['seq']],
    );
    close();
    await pos.unplug();
    await endpointIs('scanner', 'gone');
  });

  it('takes a scanner on a serial line from the modem driver, reads it by its recipe row, and gives it back', async () => {
    const serial = await GadgetAcm.create(SERIAL_SCANNER);
    await serial.plug();
    const { peripherals } = await endpointIs('scanner', 'bound');
    const { device, recipe } = peripherals.find(({ endpoint }) => endpoint === 'scanner') ?? {};
    assert.deepEqual([recipe?.tier, recipe?.codec], ['builtin', 'serial-lines']);
    assert.equal(driverOf(String(device?.['port'])), 'usbfs');
    const { accepted } = await scans();
    await serial.write(']E04006381333931\r\n');
    const [newest] = (await scansOf(accepted + 1)).scans;
    assert.deepEqual([newest?.['value'], newest?.['symbology']], ['4006381333931', 'ean13']);
    assert.equal(await image.stop(), 0);
    assert.equal(driverOf(String(device?.['port'])), 'cdc_acm');
    await serial.unplug();
    image = await startImage();
  });

  it('weighs with a scale, and says when the weight changes', async () => {
    dymo = new GadgetScale(await scaleGadget(), weighing(0));
    const { events, close } = await listen('scale_weight_changed');
    await dymo.plug();
    await endpointIs('scale', 'bound');
    await scaleWhere(({ weight }) => weight === 0, 'an empty scale');
    dymo.current = weighing(1135, 3);
    await scaleWhere(({ weight, stable }) => weight === 113.5 && stable === false, 'a weight in motion');
    dymo.current = weighing(1135);
    const block = await scaleWhere(({ stable }) => stable === true, 'the weight to come to rest');
    assert.deepEqual([block['status'], block['weight'], block['unit']], ['reading', 113.5, 'g']);
    await until(async () => events.length >= 3 || undefined, 'three events');
    assert.deepEqual(
      events.map(({ weight, unit, stable }) => [weight, unit, stable]),
      [
        [0, 'g', true],
        [113.5, 'g', false],
        [113.5, 'g', true],
      ],
    );
    close();
  });

  it('has no weight to give once the scale is unplugged', async () => {
    await dymo.unplug();
    await endpointIs('scale', 'gone');
    const { status, weight, unit, stable } = await scale();
    assert.deepEqual([status, weight, unit, stable], ['absent', null, null, false]);
  });

  it('prints, scans and weighs at the same time', async () => {
    const epson = new EpsonPrinter(await epsonGadget());
    await put('/config', { scanner: { layout: 'de', ...SLOW_TYPING } });
    dymo.current = weighing(0);
    await Promise.all([epson.gadget.plug(), wedge.plug(), dymo.plug()]);
    for (const endpoint of ['receipt', 'scanner', 'scale']) await endpointIs(endpoint, 'bound');
    const { accepted } = await scans();
    dymo.current = weighing(2500);
    const lines = Array.from({ length: 60 }, (_, line) => ({ type: 'text', value: `line ${line}` }));
    const command = { type: 'print', id: 'all', endpoint: 'receipt', confirm: true, lines };
    const [printed, read] = await Promise.all([
      post('/print', command),
      wedge.report(...keystrokes(STROKES.de)).then(() => scansOf(accepted + 1)),
      scaleWhere(({ weight, stable }) => weight === 250 && stable === true, 'the weight'),
    ]);
    assert.equal(printed.result['outcome'], 'confirmed', JSON.stringify(printed.result));
    const job = epson.lastJob(printed.result['bytes']);
    assert.ok(job.startsWith('\x1b@'), 'every byte of the job');
    assert.ok(job.includes(lines.map(({ value }) => `${value}\n`).join('')), 'every line');
    assert.equal(read.scans[0]?.['value'], TYPED);
    assert.equal(await image.stop(), 0);
    await Promise.all([epson.gadget.unplug(), wedge.unplug(), dymo.unplug()]);
  });
}
