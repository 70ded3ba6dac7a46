import { describe, expect, it } from 'vitest';
import { decodeStatus } from '../../codecs/escpos-status.ts';
import { portFaults, withPortFaults } from '../../codecs/port-status.ts';

const none = { paperEmpty: false, notSelected: false, error: false };
const of = (...bytes: number[]) => portFaults(Uint8Array.from(bytes));

describe('the answer to GET_PORT_STATUS', () => {
  it.each([
    ['bit 5 set: paper empty', 0x38, { ...none, paperEmpty: true }],
    ['bit 4 clear: not selected', 0x08, { ...none, notSelected: true }],
    ['bit 3 clear: error', 0x10, { ...none, error: true }],
    ['all three', 0x20, { paperEmpty: true, notSelected: true, error: true }],
  ])('names a fault with %s', (_, byte, faults) => {
    expect(of(byte)).toEqual(faults);
  });

  it.each([
    ['18 hex, which many printers say whatever happens', [0x18]],
    ['00, which others always say', [0]],
    ['reserved bits', [0x99]],
    ['nothing', []],
    ['more than one byte', [0x38, 0x38]],
  ])('is no evidence where it is %s', (_, bytes) => {
    expect(of(...bytes)).toBeUndefined();
  });

  it('goes into the answers to DLE EOT that were given before it, and takes nothing from them', () => {
    const before = [0x16, 0x12, 0x12, 0x1e];
    const answers = (byte: number) => before.map((reply, index) => withPortFaults(reply, index + 1, of(byte)!));
    expect(decodeStatus(answers(0x38))).toMatchObject({
      known: true,
      online: false,
      paperOut: true,
      drawerPinHigh: true,
    });
    expect(decodeStatus(answers(0x10))).toMatchObject({ known: true, online: false, error: true, paperOut: false });
    expect(decodeStatus(answers(0x08))).toMatchObject({ known: true, online: false, error: false, paperLow: true });
  });
});
