/** What holds of every certificate; what one of a device says is tested with the room of its kind. */
import { describe, expect, it } from 'vitest';
import { createAjv } from '../../runtime/base/ajv.ts';
import { faultIn } from '../../runtime/certify/answers.ts';
import { QUESTIONS, type Question } from '../../runtime/certify/tour.ts';
import { Certificate } from '../../runtime/recipes/certificate.ts';
import { keeps } from '../keeps.ts';
import { certificateOf, startCounter } from './counter.ts';
import { certifiedIn, KINDS, plays, playsIn } from './stages.ts';

const MINUTE = 60_000;

describe.each(KINDS)('a %s of the twin', { timeout: 2 * MINUTE }, (kind) => {
  it('gets a certificate of its schema, whose recording plays', async () => {
    const certificate = await certificateOf(kind);
    const ajv = createAjv();
    expect(ajv.validate(Certificate, certificate), ajv.errorsText()).toBe(true);
    await plays(certificate);
  });

  it('is recorded only while it is certified, however that ends', async () => {
    const { client, certify } = await startCounter();
    const over = new AbortController();
    const instead = {
      replug: async () => {
        expect((await client.config()).capture).toBe(true);
        over.abort(new Error('enough'));
      },
    };
    await expect(certify(kind, { signal: over.signal, instead })).rejects.toThrow('enough');
    expect((await client.config()).capture).toBe(false);
  });

  it('gets none where it did not leave and come back', async () => {
    const { certify } = await startCounter();
    await expect(certify(kind, { answers: { replug: 'skip' } })).rejects.toThrow('was not seen to leave');
  });
});

describe('a file of answers', () => {
  const width: Question = { id: 'width', text: 'How wide is it?', choices: { 32: '58 mm', 48: '80 mm' } };
  const lid: Question = { id: 'lid', text: 'Open its lid.', awaited: true, default: 'do' };
  const right = { make: 'Acme', model: 'Acme 58', width: '32' };
  it.each<[string, unknown, RegExp | undefined]>([
    ['is right', right, undefined],
    ['is no object', [], /is not an object/],
    ['answers what nobody asks', { ...right, colour: 'red' }, /there is no question "colour"/],
    ['leaves one out', { ...right, make: undefined }, /question make: the answer must be text/],
    ['has no make', { model: 'Acme 58', width: '32' }, /question make is not answered: Who/],
    ['has an answer that is none', { ...right, width: '40' }, /question width: .* one of 32, 48/],
    ['does not say what is done', { ...right, lid: 'yes' }, /question lid: .* do, skip/],
  ])('is taken only where it is right: one that %s', (_, answers, fault) => {
    const found = faultIn(answers, [...QUESTIONS, width, lid]);
    if (fault === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(fault);
  });
});

describe('the certificates of the tree', () => {
  it('stand where their rooms are', () => {
    for (const folder of certifiedIn('.')) expect(KINDS).toContain(folder.split('/')[2]);
    expect(KINDS).not.toEqual([]);
  });

  for (const folder of certifiedIn('.')) keeps(`${folder} plays`, () => playsIn(folder));
});
