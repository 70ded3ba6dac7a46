/** A scale on a serial line is certified as any scale is; what comes of it is a test, and no row for its adapter. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { type ScaleProtocolName, SERIAL_SCALE_CODECS } from '../../../codecs/serial-scales.ts';
import { tour } from '../../../plugins/scale/certify.ts';
import { VirtualSerialScale } from '../../../plugins/serial/virtual-scale.ts';
import type { VirtualDevice } from '../../../runtime/bindings/virtual/device.ts';
import { answersFrom } from '../../../runtime/certify/answers.ts';
import { certify } from '../../../runtime/certify/certify.ts';
import { textOfScale } from '../../../runtime/certify/line.ts';
import { NodeClient } from '../../../runtime/client/client.ts';
import { main } from '../../../runtime/new/new-cli.ts';
import { startTestNode } from '../../../runtime/node/testing.ts';
import { accept } from '../../../runtime/recipes/accept.ts';
import { type FieldCase, play } from '../../field/case.ts';
import { until } from '../../node.ts';
import { twinPlugins } from '../../plugins.ts';
import { PERSON } from '../scale/person.ts';
import { ChipWithScale } from './chips.ts';

const SERIAL = 'A50285BI';
const codecs = new Map(SERIAL_SCALE_CODECS.map((codec) => [codec.name, codec]));

interface Weighing {
  readonly protocol: ScaleProtocolName;
  readonly scale: VirtualDevice;
  /** Puts this much on it. */
  weighs(grams: number): void;
}

/** The certificate of a scale, made on the virtual bus, as a file that is gone after the test. */
async function certified({ onTestFinished }: TestContext, { protocol, scale, weighs }: Weighing) {
  const { url, stop, bench } = await startTestNode({ plugins: twinPlugins, devices: {} });
  onTestFinished(stop);
  const client = new NodeClient({ url });
  await client.configure({ serial: { [SERIAL]: { kind: 'scale', protocol } } });
  bench.usb.plug(scale);
  await until(
    () => client.scale(),
    ({ weight, stable }) => weight === 0 && stable,
  );

  const moves: Readonly<Record<string, () => void>> = {
    replug: () => {
      bench.usb.unplug(scale);
      bench.usb.plug(scale);
    },
    coin: () => weighs(237),
    empty: () => weighs(0),
    off: () => bench.usb.unplug(scale),
  };
  const asks = answersFrom(PERSON.answers, ({ id }) => moves[id]?.());
  const host = { ...asks, step: () => {}, show: async () => {} };
  const { signal } = new AbortController();
  const certificate = await certify({ tour, client, host, signal, waitMs: 20_000 });
  const root = mkdtempSync(join(tmpdir(), 'tillnode-certified-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const file = join(root, 'certificate.json');
  writeFileSync(file, JSON.stringify(certificate));
  return { certificate, root, file };
}

/** The case of the public record that is made of it. */
async function caseOf({ root, file }: Pick<Awaited<ReturnType<typeof certified>>, 'root' | 'file'>) {
  mkdirSync(join(root, 'test/field/devices'), { recursive: true });
  const said: string[] = [];
  const output = { out: (text: string) => void said.push(text), err: (text: string) => void said.push(text) };
  expect(await main(['recording', file], output, root), said.join('')).toBe(0);
  const [, path = ''] = /^wrote (\S+)/.exec(said.join('')) ?? [];
  return JSON.parse(readFileSync(join(root, path), 'utf8')) as FieldCase;
}
const whileItWeighs = (
  { expect: expected, ...field }: FieldCase,
  scale: Readonly<Record<string, unknown>>,
): FieldCase => ({
  ...field,
  expect: { ...expected, scale },
});

describe.concurrent('the certificate of a scale on a serial line', () => {
  const protocols = ['cas-pd2', 'scale-stream'] as const;
  it.for(protocols)(
    'says what was weighed, makes no row, and its recording weighs again: %s',
    async (protocol, test) => {
      const scale = new VirtualSerialScale({ protocol, serial: SERIAL });
      const made = await certified(test, { protocol, scale, weighs: (grams) => scale.set({ grams }) });
      expect(made.certificate).toMatchObject({
        facts: { zero: true, coin: '0.237 kg', empty: '0 kg', off: 'absent' },
        row: { kind: 'scale', codec: protocol },
      });
      expect(JSON.stringify(made.certificate)).not.toContain(SERIAL);
      expect(() => accept(made.file, { codecs, rooms: new Map(), directory: 'recipes' })).toThrow(
        'the ids of a serial adapter do not say what hangs on it',
      );
      const field = whileItWeighs(await caseOf(made), { status: 'reading', weight: 0, unit: 'kg', stable: true });
      expect(await play(field), field.says).toMatchObject(field.expect);
    },
  );

  it('has the packets of an adapter that puts its own bytes into them', async (test) => {
    const scale = new ChipWithScale('ftdi', SERIAL);
    scale.weight = '00.000';
    const weighs = (grams: number) => {
      scale.weight = (grams / 1000).toFixed(3).padStart(6, '0');
    };
    const made = await certified(test, { protocol: 'toledo-8217', scale, weighs });
    const field = whileItWeighs(await caseOf(made), { status: 'reading', weight: 0, unit: 'kg' });
    expect(field.devices[0]?.answers).toEqual({ '57': [Buffer.from('\x01\x00\x0200.000\r').toString('hex')] });
    expect(await play(field), field.says).toMatchObject(field.expect);
  });
});

it.each([
  ['\x0204.876\r', '\x0201.111\r'],
  ['\x02?h\r', '\x02?h\r'],
  ['\n004.876KG\r\n20\r\x03', '\n001.111KG\r\n20\r\x03'],
  ['\x01\x02S 04.876kg0\x03\x04', '\x01\x02S 01.111kg0\x03\x04'],
  ['S S      4.876 kg\r\n', 'S S      1.111 kg\r\n'],
  ['ST,GS,+  4.876kg\r\n', 'ST,GS,+  1.111kg\r\n'],
  ['\x0201250\r', '\x0201110\r'],
  ['S S   12:07.50 lb:oz\r\n', 'S S   11:01.10 lb:oz\r\n'],
  ['\n  2lb  7.3oz\r\n00\r\x03', '\n  1lb  1.1oz\r\n00\r\x03'],
])('a weight is replaced, and what says how it is stays: %j', (said, kept) => {
  expect(Buffer.from(textOfScale(Buffer.from(said, 'latin1'))).toString('latin1')).toBe(kept);
});
