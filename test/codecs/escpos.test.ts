import { describe, expect, it } from 'vitest';
import {
  drawerPulse,
  endOfPrintId,
  endOfPrintRequest,
  escpos,
  REALTIME_PULSE_DISABLE,
  resolveOptions,
  STATUS_POLL,
} from '../../codecs/escpos.ts';
import { EscposEncoder } from '../../codecs/escpos-encoder.ts';
import spec from '../spec/escpos-jobs.json' with { type: 'json' };

const hex = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
const vector = (name: string) => spec.commands.find((row) => row.name === name)?.bytes;

describe('commands that stand on their own', () => {
  it('pulse the drawer in units of two milliseconds', () => {
    expect(hex(drawerPulse(2, 50, 500))).toBe(vector('drawer-pin2'));
    expect(hex(drawerPulse(5, 50, 500))).toBe(vector('drawer-pin5'));
    expect(hex(drawerPulse(2, 2, 510))).toBe('1b 70 00 01 ff');
  });

  it('never pulse with an off time below the on time, nor with none', () => {
    expect(hex(drawerPulse(2, 200, 100))).toBe('1b 70 00 64 64');
    expect(hex(drawerPulse(2, 0, 0))).toBe('1b 70 00 01 01');
    expect(hex(drawerPulse(2, 5000, 5000))).toBe('1b 70 00 ff ff');
  });

  it('ask for the four real-time states', () => {
    expect(hex(STATUS_POLL)).toBe(vector('status-poll'));
  });

  it('switch the real-time pulse off', () => {
    expect(hex(REALTIME_PULSE_DISABLE)).toBe(vector('disable-realtime-pulse'));
  });

  it('ask for the end of printing and know the answer', () => {
    expect(hex(endOfPrintRequest('0042'))).toBe('1d 28 48 06 00 30 30 30 30 34 32');
    expect(endOfPrintId(Uint8Array.of(0x37, 0x22, 0x30, 0x30, 0x34, 0x32, 0))).toBe('0042');
    for (const other of [[], [0x12], [0x37, 0x22, 0x30, 0x30, 0x34, 0], [0x37, 0x21, 0x30, 0x30, 0x34, 0x32, 0]]) {
      expect(endOfPrintId(Uint8Array.from(other))).toBeUndefined();
    }
  });

  it('take four printable characters for a process id and nothing else', () => {
    for (const id of ['', '123', '12345', '12\u001b4', '12é4']) {
      expect(() => endOfPrintRequest(id)).toThrow(RangeError);
    }
  });

  it('put a picture of 24 dots into the line', () => {
    const encoder = new EscposEncoder({ make: 'epson' }, 100, 100);
    encoder.bitImage(new Uint8Array(24).fill(0xff));
    encoder.newLine();
    expect(hex(encoder.getBuffer())).toBe(vector('bitimage-esc-star'));
  });
});

describe('options of a recipe', () => {
  it('have a value where the row says nothing, of the declared type and within its bounds', () => {
    const options: Readonly<Record<string, unknown>> = { ...resolveOptions() };
    expect(Object.keys(options).sort()).toEqual(Object.keys(escpos.options).sort());
    for (const [name, schema] of Object.entries(escpos.options)) {
      const value = options[name];
      if (schema.type === 'boolean') expect(value).toBeTypeOf('boolean');
      else if (schema.type === 'string') expect(schema.enum).toContain(value);
      else {
        expect(value).toBeGreaterThanOrEqual(schema.minimum);
        expect(value).toBeLessThanOrEqual(schema.maximum);
      }
    }
  });

  it('are what the row says', () => {
    const row = { columns: 32, dots: 384, codePages: 'pos-5890', cutter: false };
    expect(resolveOptions(row)).toEqual({ ...resolveOptions(), ...row });
  });
});
