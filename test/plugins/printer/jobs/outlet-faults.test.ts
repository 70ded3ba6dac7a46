/** What an outlet makes of a transfer that failed in its middle, and of a macro that went out whole. */
import { beforeEach, describe, expect, it } from 'vitest';
import { STATUS_POLL } from '../../../../codecs/escpos.ts';
import { bytes, type Cable, IDLE_MS, LINE, PULSE, startCable } from './cable.ts';

const hex = (...parts: readonly Uint8Array[]) => Buffer.concat(parts).toString('hex');

let cable: Cable;
beforeEach(async () => {
  cable = await startCable();
});

describe('a drawer kick', () => {
  it.each([2, 4])('of which the printer took %i bytes is completed before the next write', async (count) => {
    const [taken, rest] = [PULSE.subarray(0, count), Buffer.alloc(PULSE.length - count)];
    cable.failAfter(taken.length);
    await expect(cable.outlet.kick(PULSE, IDLE_MS)).rejects.toMatchObject({ fault: 'timeout', written: taken.length });
    expect([cable.sent(), cable.outlet.missing]).toEqual([hex(taken), rest.length]);
    cable.failAfter(Number.POSITIVE_INFINITY);
    const one = await cable.begun('print', LINE);
    expect([cable.sent(), cable.outlet.missing]).toEqual([hex(taken, rest, LINE), 0]);
    await one.end();
  });

  it('behind an unknown command that may lack a single byte has a NUL in front for that', async () => {
    const one = await cable.begun('port9100', bytes('1b99 61'));
    await cable.outlet.kick(PULSE, IDLE_MS);
    expect(cable.sent()).toBe(hex(bytes('1b99 61'), bytes('00'), PULSE));
    await one.end();
  });

  it('behind a macro that is whole is no part of it', async () => {
    const one = await cable.begun('port9100', bytes('1d3a 410a 1d3a'));
    await cable.outlet.kick(PULSE, IDLE_MS);
    expect([cable.printer.pulses.length, cable.outlet.macros.pulse]).toEqual([1, false]);
    await one.end();
  });
});

describe('a fault that says nothing of what the printer took', () => {
  it('leaves it unknown what the printer read last: a request stands behind NULs that end anything', async () => {
    await cable.outlet.poll(STATUS_POLL, () => {});
    await cable.outlet.poll(STATUS_POLL, () => {});
    expect(cable.sent()).toBe(hex(STATUS_POLL, STATUS_POLL));
    cable.breaks(new TypeError('a fault of the node'));
    await expect(cable.outlet.poll(STATUS_POLL, () => {})).rejects.toMatchObject({ fault: 'io', written: 0 });
    cable.breaks(undefined);
    cable.transfers.length = 0;
    await cable.outlet.poll(STATUS_POLL, () => {});
    expect(cable.sent()).toMatch(new RegExp(`^(00)+${hex(STATUS_POLL)}$`));
  });
});
