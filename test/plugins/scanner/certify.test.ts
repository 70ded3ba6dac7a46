import { expect, it, onTestFinished } from 'vitest';
import { CODES, tour } from '../../../plugins/scanner/certify.ts';
import { VirtualSerialScanner } from '../../../plugins/scanner/virtual-serial.ts';
import { answersFrom } from '../../../runtime/certify/answers.ts';
import { certify as certifyWith } from '../../../runtime/certify/certify.ts';
import { NodeClient } from '../../../runtime/client/client.ts';
import { startTestNode } from '../../../runtime/node/testing.ts';
import { certificateOf, startCounter } from '../../certify/counter.ts';
import { play } from '../../field/case.ts';
import { twinPlugins } from '../../plugins.ts';
import { PERSON } from './person.ts';

it('the certificate of a scanner says that each code was read', async () => {
  const { facts } = await certificateOf('scanner');
  for (const n of CODES.keys()) expect(facts[`code-${n + 1}`]).toBe('same');
});

it('the certificate of a scanner keeps nothing of a code that was not one of the five', async () => {
  const { client, certify } = await startCounter();
  let held = 0;
  const instead = {
    'code-2': () => {
      held += 1;
      return client.twin.scan({ value: held === 1 ? 'CUSTOMER-4711' : 'Tillnode-AbYz' });
    },
  };
  const certificate = await certify('scanner', { answers: { 'same-2': 'no' }, instead });
  expect([held, certificate.facts['code-2']]).toEqual([2, 'same']);
  const bytes = certificate.recording
    .split('\n')
    .filter(Boolean)
    .map((line) => Buffer.from(JSON.parse(line).data, 'base64').toString('latin1'));
  expect(`${JSON.stringify(certificate)}${bytes.join()}`).not.toContain('CUSTOMER');
});

it('a scanner is not certified where no code was read', async () => {
  const { certify } = await startCounter();
  const answers = Object.fromEntries(CODES.map((_, at) => [`code-${at + 1}`, 'skip']));
  await expect(certify('scanner', { answers })).rejects.toThrow('every step was skipped');
});

it('the certificate of a scanner on a serial line, too, has what it sends, without the values, and that is read again', async () => {
  const { url, stop, bench } = await startTestNode({ plugins: twinPlugins, devices: {} });
  onTestFinished(stop);
  const client = new NodeClient({ url });
  const scanner = new VirtualSerialScanner();
  bench.usb.plug(scanner);
  const isThere = async () => (await client.status()).peripherals.some(({ device }) => device?.model === 'HR3260');
  await expect.poll(isThere).toBe(true);
  const asks = answersFrom(PERSON.answers, ({ id }) => {
    if (id === 'replug') {
      bench.usb.unplug(scanner);
      bench.usb.plug(scanner);
    }
    const code = CODES[Number(/^code-(\d)$/.exec(id)?.[1]) - 1];
    if (code !== undefined) scanner.scan(code.value);
  });
  const host = { ...asks, step: () => {}, show: async () => {} };
  const { device } = await certifyWith({ tour, client, host, signal: new AbortController().signal, waitMs: 20_000 });
  if (device === undefined) throw new Error('it has no descriptors');
  for (const { value } of CODES) expect(JSON.stringify(device)).not.toContain(Buffer.from(value).toString('hex'));
  const scans = ['1111111111111', 'Aaaaaaaa-AaAa', 'a/a;a:a"a\'a'].map((value) => ({ value })).toReversed();
  const shown = await play({ says: '', source: '', devices: [device], expect: { scans: [{}, {}, ...scans] } });
  expect(shown).toMatchObject({ scans: [{}, {}, ...scans] });
});
