/** State folders that take nothing, that stand in somebody's project, and packages that are newer than a slot. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../node.ts';
import { GOOD, makeBox } from './box.ts';

describe('the state folder', () => {
  it('that takes nothing costs the updates, not the start', async () => {
    const box = await makeBox(GOOD);
    // Not even root makes a folder in a file.
    writeFileSync(join(box.root, 'state'), '');
    box.powerOn();
    await box.started(1);
    expect(box.starts()).toMatchObject([{ name: 'factory', slot: 'factory' }]);
    rmSync(join(box.root, 'state'));
  });

  it('below a package.json of CommonJS does not make one of an image', async () => {
    const box = await makeBox(GOOD);
    writeFileSync(join(box.root, 'package.json'), '{"type":"commonjs"}');
    box.refit(GOOD.replace('say', 'void import.meta; say'));
    writeFileSync(join(box.root, 'factory/package.json'), '{"type":"module"}');
    await box.install('a', '2.0.0', `void import.meta; ${GOOD}`);
    box.powerOn();
    await until(() => box.bootState().trial?.good === true);
    expect(box.starts()).toMatchObject([{ name: '2.0.0', slot: 'a' }]);
  });
});

describe('a factory image that is newer than the slot', () => {
  const withUpdate = async (version: string) => {
    const box = await makeBox(GOOD);
    box.package('1.0.0', GOOD);
    await box.install('a', version, GOOD);
    box.powerOn();
    await until(() => box.bootState().trial?.good === true);
    await box.powerOff();
    return box;
  };

  it.each(['1.0.0', '1.1.0'])('is booted when it was built anew: %s over 1.0.0', async (next) => {
    const box = await withUpdate('1.0.0');
    box.package(next, `${GOOD} void 'another';`);
    box.powerOn();
    await box.started(2);
    const superseded = { slot: 'a', version: '1.0.0' };
    expect(box.starts()[1]).toMatchObject({ name: 'factory', reason: 'update', superseded });
    expect(box.logged()).toContainEqual(expect.objectContaining({ msg: 'the factory image is newer', slot: 'a' }));
    await box.powerOff();
    box.powerOn();
    await box.started(3);
    expect(box.starts()[2]).toMatchObject({ name: 'factory', superseded });
  });

  it('and is taken back: the slot is booted again', async () => {
    const box = await withUpdate('1.0.0');
    box.package('1.1.0', `${GOOD} void 'another';`);
    box.powerOn();
    await box.started(2);
    await box.powerOff();
    box.package('1.0.0', GOOD);
    box.powerOn();
    await box.started(3);
    expect(box.starts().map(({ name }) => name)).toEqual(['1.0.0', 'factory', '1.0.0']);
    expect(box.bootState()).toMatchObject({ primary: 'a', failed: [] });
  });

  it('is the same as before: the slot is booted', async () => {
    const box = await withUpdate('1.0.0');
    box.powerOn();
    await box.started(2);
    expect(box.starts()[1]).toMatchObject({ name: '1.0.0', slot: 'a' });
  });

  it('of an older version does not take the place of the slot', async () => {
    const box = await withUpdate('2.0.0');
    box.package('1.9.0', `${GOOD} void 'another';`);
    box.powerOn();
    await box.started(2);
    expect(box.starts()[1]).toMatchObject({ name: '2.0.0', slot: 'a' });
  });
});
