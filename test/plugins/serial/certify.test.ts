/** A scale on a serial line is certified as any scale is; what comes of it is a test, and no row for its adapter. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { tour } from '../../../plugins/scale/certify.ts';
import { VirtualSerialScale } from '../../../plugins/serial/virtual-scale.ts';
import { answersFrom } from '../../../runtime/certify/answers.ts';
import { certify } from '../../../runtime/certify/certify.ts';
import { NodeClient } from '../../../runtime/client/client.ts';
import { startTestNode } from '../../../runtime/node/testing.ts';
import { accept } from '../../../runtime/recipes/accept.ts';
import { twinPlugins } from '../../plugins.ts';
import { PERSON } from '../scale/person.ts';

const SERIAL = 'A50285BI';

it('its certificate says what was weighed, and makes no row', async () => {
  const scale = new VirtualSerialScale({ protocol: 'cas-pd2', serial: SERIAL });
  const { url, stop, bench } = await startTestNode({ plugins: twinPlugins, devices: {} });
  onTestFinished(stop);
  const client = new NodeClient({ url });
  await client.configure({ serial: { [SERIAL]: { kind: 'scale', protocol: 'cas-pd2' } } });
  bench.usb.plug(scale);
  await expect.poll(async () => (await client.scale()).weight).toBe(0);

  const moves: Readonly<Record<string, () => void>> = {
    replug: () => {
      bench.usb.unplug(scale);
      bench.usb.plug(scale);
    },
    coin: () => scale.set({ grams: 100 }),
    empty: () => scale.set({ grams: 0 }),
    off: () => bench.usb.unplug(scale),
  };
  const asks = answersFrom(PERSON.answers, ({ id }) => moves[id]?.());
  const host = { ...asks, step: () => {}, show: async () => {} };
  const { signal } = new AbortController();
  const certificate = await certify({ tour, client, host, signal, waitMs: 20_000 });
  expect(certificate).toMatchObject({
    facts: { zero: true, coin: '0.1 kg', empty: '0 kg', off: 'absent' },
    row: { kind: 'scale', codec: 'cas-pd2' },
  });
  expect(JSON.stringify(certificate)).not.toContain(SERIAL);

  const folder = mkdtempSync(join(tmpdir(), 'tillnode-certified-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'certificate.json');
  writeFileSync(file, JSON.stringify(certificate));
  expect(() => accept('.', file, new Map())).toThrow('the ids of a serial adapter do not say what hangs on it');
});
