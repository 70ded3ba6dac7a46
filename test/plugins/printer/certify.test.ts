import { describe, expect, it } from 'vitest';
import { certificateOf, startCounter } from '../../certify/counter.ts';
import { plays } from '../../certify/stages.ts';

describe('the certificate of a printer', { timeout: 120_000 }, () => {
  it('says what was measured and seen', async () => {
    const { facts, row, drivenBy } = await certificateOf('printer');
    expect(row).toMatchObject({ vendorId: '04b8', kind: 'printer', codec: 'escpos' });
    expect(row.options).toEqual({ columns: 48, dots: 576, codePages: 'epson', endOfPrint: true });
    expect(drivenBy).toEqual({ id: 'epson-tm-t20iii', tier: 'builtin' });
    const seen = { 'cover-open': true, 'cover-closed': true, 'paper-out': true, 'paper-in': true, 'paper-low': false };
    expect(facts).toMatchObject({ ...seen, drawerPin2: true, drawerPin5: false, drawerSaysOpen: true, cut: 'clean' });
  });

  it('does not play where the node sends other bytes', async () => {
    const certificate = await certificateOf('printer');
    const pulse = (on: number) => Buffer.from([0x1b, 0x70, 0, on, 120]).toString('base64');
    const recording = certificate.recording.replace(pulse(60), pulse(61));
    expect(recording).not.toBe(certificate.recording);
    await expect(plays({ ...certificate, recording })).rejects.toThrow(/byte/);
  });

  it('has nothing of another program’s receipt: it is refused', async () => {
    const { client, certify } = await startCounter();
    const lines = [{ type: 'text' as const, value: 'Mrs Smith' }];
    const receipt = { type: 'print' as const, id: 'till-7', endpoint: 'receipt', lines };
    const answers = { 'cover-open': 'skip', 'paper-out': 'skip' };
    const instead = { 'drawer-seen': () => client.print(receipt), 'drawer-closed': async () => {} };
    const run = certify('printer', { answers: { ...answers, 'drawer-closed': 'skip' }, instead });
    await expect(run).rejects.toThrow('another program used the printer meanwhile (print)');
  });

  it('has no serial number, wherever the printer says it', async () => {
    const { client, certify } = await startCounter();
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

it('a tour sends to the paths alone that it names', async () => {
  const { client, certify } = await startCounter();
  await expect(certify('printer', { tour: { sends: ['/print'] } })).rejects.toThrow('sends: /raw');
  expect((await client.jobs()).jobs.filter(({ kind }) => kind === 'raw')).toEqual([]);
});
