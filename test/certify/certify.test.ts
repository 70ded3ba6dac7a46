import { describe, expect, it, onTestFinished } from 'vitest';
import { faultIn } from '../../runtime/certify/answers.ts';
import { Certificate } from '../../runtime/certify/contract.ts';
import { QUESTIONS } from '../../runtime/certify/tour.ts';
import { createAjv } from '../../runtime/kernel/ajv.ts';
import { keeps } from '../keeps.ts';
import { rows } from '../recipes/files.ts';
import { ANSWERS, certificateOf, type Kind, startCounter } from './counter.ts';
import { certifiedIn, plays, playsIn, ROOMS } from './stages.ts';

const KINDS = Object.keys(ROOMS) as Kind[];
const MINUTE = 60_000;

async function counter() {
  const started = await startCounter();
  onTestFinished(() => started.node.stop());
  return started;
}

describe('a certificate of a device of the twin', { timeout: 2 * MINUTE }, () => {
  it.each(KINDS)('(%s) is of its schema, and its recording plays', async (kind) => {
    const certificate = await certificateOf(kind);
    const ajv = createAjv();
    expect(ajv.validate(Certificate, certificate), ajv.errorsText()).toBe(true);
    await plays(
      certificate,
      rows.filter(({ id }) => id === certificate.drivenBy.id),
    );
  });

  it('says what was measured and seen of a printer', async () => {
    const { facts, row, drivenBy } = await certificateOf('printer');
    expect(row).toMatchObject({ vendorId: '04b8', kind: 'printer', codec: 'escpos' });
    expect(row.options).toEqual({ columns: 48, dots: 576, codePages: 'epson', endOfPrint: true });
    expect(drivenBy).toEqual({ id: 'epson-tm-t20iii', tier: 'builtin' });
    const seen = { 'cover-open': true, 'cover-closed': true, 'paper-out': true, 'paper-in': true, 'paper-low': false };
    expect(facts).toMatchObject({ ...seen, drawerPin2: true, drawerPin5: false, drawerSaysOpen: true, cut: 'clean' });
  });

  it('says what was read and weighed', async () => {
    const { facts } = await certificateOf('scanner');
    for (const n of [1, 2, 3, 4, 5]) expect(facts[`code-${n}`]).toBe('the same');
    expect((await certificateOf('scale')).facts).toMatchObject({
      zero: true,
      coin: '5 g',
      empty: '0 g',
      off: 'absent',
    });
  });

  it.each<[string, Kind, (recording: string) => string, RegExp]>([
    ['the node sends other bytes', 'printer', (text) => text.replace('"data":"G1AAPHg="', '"data":"G1AAPHk="'), /byte/],
    ['the device says something else', 'scale', (text) => text.replaceAll('AwQCAAUA', 'AwQCAAYA'), /step coin/],
  ])('does not play where %s', async (_, kind, change, reason) => {
    const certificate = await certificateOf(kind);
    const { id } = certificate.drivenBy;
    const kick = Buffer.from([0x1b, 0x70, 0, 60, 120]).toString('base64');
    const recording = change(certificate.recording.replace(kick, 'G1AAPHg='));
    expect(recording).not.toBe(certificate.recording);
    await expect(
      plays(
        { ...certificate, recording },
        rows.filter((row) => row.id === id),
      ),
    ).rejects.toThrow(reason);
  });
});

describe('a run', { timeout: MINUTE }, () => {
  it('leaves the recording switched off, however it ends', async () => {
    const { client, certify } = await counter();
    const over = new AbortController();
    const instead = {
      coin: async () => {
        expect((await client.config()).capture).toBe(true);
        over.abort(new Error('enough'));
      },
    };
    await expect(certify('scale', { signal: over.signal, instead })).rejects.toThrow('enough');
    expect((await client.config()).capture).toBe(false);
  });

  it('has nothing of another program’s receipt: it is refused', async () => {
    const { client, certify } = await counter();
    const lines = [{ type: 'text' as const, value: 'Mrs Smith' }];
    const receipt = { type: 'print' as const, id: 'till-7', endpoint: 'receipt', lines };
    const answers = { 'cover-open': 'skip', 'paper-out': 'skip' };
    const instead = { 'drawer-seen': () => client.print(receipt), 'drawer-closed': async () => {} };
    const run = certify('printer', { answers: { ...answers, 'drawer-closed': 'skip' }, instead });
    await expect(run).rejects.toThrow('another program used the printer meanwhile (print)');
  });

  it('keeps nothing of a code that was not one of the five', async () => {
    const { client, certify } = await counter();
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

  it('is refused where the device did not leave and come back', async () => {
    const { certify } = await counter();
    await expect(certify('scale', { answers: { replug: 'skip' } })).rejects.toThrow('was not seen to leave');
  });

  it('has no serial number of the device, wherever it says it', async () => {
    const { client, certify } = await counter();
    const ids = { device: 'printer', vendorId: '04b8', productId: '0e28', make: 'EPSON', model: 'TM-T20III' };
    await client.twin.attach({
      ...ids,
      serial: 'X3QF012345',
      deviceId: 'MFG:EPSON;CMD:ESC/POS;MDL:TM-T20III;SN:X3QF012345;',
    });
    const skipped = { 'cover-open': 'skip', 'paper-out': 'skip', drawer: 'no' };
    const { recording } = await certify('printer', { answers: skipped });
    const records = recording
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    const said = records.map(({ data }) => Buffer.from(data, 'base64').toString('latin1')).join('\n');
    expect(said).toContain('SN:0000000000;');
    expect(`${recording}${said}`).not.toContain('X3QF012345');
  });
});

describe('a file of answers', () => {
  const questions = [...QUESTIONS, ...(ROOMS['printer']?.tour.questions ?? [])];
  it.each<[string, unknown, RegExp | undefined]>([
    ['is right', ANSWERS.printer, undefined],
    ['is no object', [], /is not an object/],
    ['answers what nobody asks', { ...ANSWERS.printer, colour: 'red' }, /there is no question "colour"/],
    ['leaves one out', { ...ANSWERS.printer, make: undefined }, /question make: the answer must be text/],
    ['has no make', Object.fromEntries(Object.entries(ANSWERS.printer).slice(1)), /question make is not answered: Who/],
    [
      'has an answer that is none',
      { ...ANSWERS.printer, columns: '40' },
      /question columns: .* one of 32, 42, 48, 64, none/,
    ],
    ['does not say what is done', { ...ANSWERS.printer, 'cover-open': 'yes' }, /question cover-open: .* do, skip/],
  ])('that %s', (_, answers, fault) => {
    const found = faultIn(answers, questions);
    if (fault === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(fault);
  });
});

describe('the certificates of the tree', () => {
  it('stand where their rooms are', () => {
    for (const folder of certifiedIn('.')) expect(KINDS).toContain(folder.split('/')[2]);
    expect(KINDS).toContain('printer');
  });

  for (const folder of certifiedIn('.')) keeps(`${folder} plays`, () => playsIn(folder));
});
