import { expect, it } from 'vitest';
import { CODES } from '../../../plugins/scanner/certify.ts';
import { certificateOf, startCounter } from '../../certify/counter.ts';

it('its certificate says that each code was read', async () => {
  const { facts } = await certificateOf('scanner');
  for (const n of CODES.keys()) expect(facts[`code-${n + 1}`]).toBe('the same');
});

it('its certificate keeps nothing of a code that was not one of the five', async () => {
  const { client, certify } = await startCounter();
  let held = 0;
  const instead = {
    'code-2': () => {
      held += 1;
      return client.twin.scan({ value: held === 1 ? 'CUSTOMER-4711' : 'Tillnode-AbYz' });
    },
  };
  const certificate = await certify('scanner', { answers: { 'same-2': 'no' }, instead });
  expect([held, certificate.facts['code-2']]).toEqual([2, 'the same']);
  const bytes = certificate.recording
    .split('\n')
    .filter(Boolean)
    .map((line) => Buffer.from(JSON.parse(line).data, 'base64').toString('latin1'));
  expect(`${JSON.stringify(certificate)}${bytes.join()}`).not.toContain('CUSTOMER');
});

it('is not certified where no code was read', async () => {
  const { certify } = await startCounter();
  const answers = Object.fromEntries(CODES.map((_, at) => [`code-${at + 1}`, 'skip']));
  await expect(certify('scanner', { answers })).rejects.toThrow('every step was skipped');
});
