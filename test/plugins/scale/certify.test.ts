import { expect, it } from 'vitest';
import { certificateOf, startCounter } from '../../certify/counter.ts';
import { plays } from '../../certify/stages.ts';

it('the certificate of a scale says what was weighed', async () => {
  const { facts } = await certificateOf('scale');
  expect(facts).toMatchObject({ zero: true, coin: '5 g', empty: '0 g', off: 'absent' });
});

it('the certificate of a scale does not play where the scale says something else', async () => {
  const certificate = await certificateOf('scale');
  // The coin weighs 6 g.
  const recording = certificate.recording.replaceAll('AwQCAAUA', 'AwQCAAYA');
  expect(recording).not.toBe(certificate.recording);
  await expect(plays({ ...certificate, recording })).rejects.toThrow(/step coin/);
});

it('a scale is not certified where another one stands in its place meanwhile', async () => {
  const { client, certify } = await startCounter();
  const another = async () => {
    await client.twin.attach({ device: 'scale', vendorId: '0922', productId: '8009' });
    await client.twin.scale({ grams: 5 });
  };
  await expect(certify('scale', { instead: { coin: another } })).rejects.toThrow('another device');
});
