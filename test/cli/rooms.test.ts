/** The commands that rooms bring to the command line; those of rooms that may be left out stand with their rooms. */
import { describe, expect, it } from 'vitest';
import { onTwin } from './on-twin.ts';

const twin = onTwin();

describe('config', () => {
  it('shows all keys, or one, or sets one and leaves its neighbours', async () => {
    // Its neighbours here set them, too.
    await twin.client.configure({ printWidthCols: 48, drawer: { pin: 2 } });
    expect((await twin.run('config')).out).toMatch(/^printWidthCols +48$/m);
    expect(await twin.run('config', 'drawer.pin')).toEqual({ code: 0, out: '2\n', err: '' });
    expect(await twin.run('config', 'drawer.pin', '5')).toEqual({ code: 0, out: '5\n', err: '' });
    expect((await twin.client.config()).drawer).toMatchObject({ pin: 5, onMs: 120 });
  });

  it('sends digits as the text that a key takes, and as a number where it takes one', async () => {
    expect(await twin.run('config', 'customProfile.model', '4711')).toEqual({ code: 0, out: '"4711"\n', err: '' });
    expect((await twin.run('config', 'printWidthCols', '42')).out).toBe('42\n');
    const short = await twin.run('config', 'apiKey', '12345678');
    expect([short.code, short.err]).toEqual([1, expect.stringMatching(/^tillnode: invalid_config: [^\n]*\n$/)]);
    expect(short.err).not.toMatch(/string/);
  });

  it('tells a key that there is not, and a value that is refused', async () => {
    expect(await twin.run('config', 'colour')).toMatchObject({ code: 2, err: 'tillnode: there is no key colour\n' });
    expect(await twin.run('config', 'printWidthCols', '7')).toMatchObject({
      code: 1,
      err: expect.stringContaining('invalid_config'),
    });
    expect((await twin.run('config', 'a', 'b', 'c')).code).toBe(2);
  });
});

describe('tillnode', () => {
  it('status says that the paper is narrower than the receipts, and how to change that', async () => {
    await twin.client.configure({ printWidthCols: 64 });
    expect((await twin.run('status')).out).toMatch(
      /^This printer has (\d+) columns, receipts are laid out in 64: tillnode config printWidthCols \1$/m,
    );
  });

  it('status says which devices are not used, and why', async () => {
    await twin.client.request('POST', '/twin/attach', { vendorId: 'abcd', productId: '0042', model: 'Gadget' });
    await expect
      .poll(async () => (await twin.run('status')).out, { timeout: 20_000 })
      .toMatch(/^plugged in and not used:\n.*Gadget \(abcd:0042\): \S/m);
  });

  it('capture prints a line for each record', async () => {
    expect((await twin.run('capture')).code).toBe(0);
  });

  it('help names each of them', async () => {
    const { out } = await twin.run('help');
    for (const name of ['config', 'capture', 'jobs']) expect(out).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
  });
});
