import { describe, expect, it } from 'vitest';
import scanner from '../../../plugins/scanner/index.ts';
import { settingsNodes } from '../../services/settings/node.ts';

const node = settingsNodes(scanner);

describe('the scanner configuration', () => {
  it('has the defaults of the contract', async () => {
    expect((await node()).config()['scanner']).toEqual({
      readMode: 'auto',
      layout: 'us',
      minLength: 4,
      interKeyTimeoutMs: 120,
      duplicateWindowMs: 500,
      burstGapMs: 0,
      symbologies: [],
    });
  });

  it.each([
    ['minLength', 1, 64],
    ['interKeyTimeoutMs', 10, 1000],
    ['duplicateWindowMs', 0, 10_000],
    ['burstGapMs', 0, 1000],
  ])('takes %s from %i to %i and nothing beyond', async (name, least, most) => {
    const { put } = await node();
    const answers = [];
    for (const value of [least, most, least - 1, most + 1, least + 0.5])
      answers.push(await put({ scanner: { [name]: value } }));
    const refused = 'invalid_config';
    expect(answers.map(({ code }) => code)).toEqual(['ok', 'ok', refused, refused, refused]);
  });

  it.each([
    [{ readMode: 'hidpos' }, 'ok'],
    [{ readMode: 'serial' }, 'invalid_config'],
    [{ layout: 'fr' }, 'ok'],
    [{ layout: 'dvorak' }, 'invalid_config'],
    [{ symbologies: ['ean13', 'gs1-128'] }, 'ok'],
    [{ symbologies: ['ean13', 'ean-14'] }, 'invalid_config'],
    [{ symbologies: ['qr', 'qr'] }, 'invalid_config'],
  ])('answers %j with %s', async (patch, code) => {
    expect((await (await node()).put({ scanner: patch })).code).toBe(code);
  });
});
