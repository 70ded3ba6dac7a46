import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { identifyRead } from '../../codecs/aim.ts';
import { flushKeyboard, newKeyboard, readKeyboardReport } from '../../codecs/hid-keyboard.ts';
import { newPosScanner, readPosReport } from '../../codecs/hid-pos.ts';
import { parseReportDescriptor, type ReportDescriptor, readField } from '../../codecs/hid-report.ts';
import { readScaleReport, scaleLayout } from '../../codecs/hid-scale.ts';
import { describedFormat } from '../../codecs/keyboard-report.ts';
import { KEYBOARD_LAYOUTS, type LayoutName } from '../../codecs/keymaps.ts';

const seed = Number(process.env['FUZZ_SEED'] ?? 3008);
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 5000);
const check = <T>(property: fc.IProperty<T>) => fc.assert(property, { seed, numRuns });

/** Items that occur in descriptors of scanners and scales, with data now and then out of range. */
const prefixes = [0x05, 0x06, 0x09, 0x0b, 0x15, 0x16, 0x19, 0x25, 0x26, 0x27, 0x29, 0x55, 0x74, 0x75, 0x77, 0x81, 0x82];
const item = fc
  .tuple(
    fc.constantFrom(...prefixes, 0x84, 0x85, 0x91, 0x94, 0x95, 0x97, 0xa1, 0xa4, 0xb1, 0xb4, 0xc0, 0xfe),
    fc.uint8Array({ minLength: 4, maxLength: 4 }),
    fc.constantFrom(
      ...[0, 1, 2, 8, 0x38, 0x8c, 0x8d],
      ...[0x40, 0x41, 0x50, 0x51, 0x70, 0x71, 0xfb, 0xfc, 0xfd, 0xfe, 0xff],
    ),
  )
  .map(([prefix, noise, likely]) => {
    const size = [0, 1, 2, 4][prefix & 3]!;
    const datum = size === 1 ? [likely] : size === 2 ? [likely, 0] : [...noise];
    return [prefix, ...datum.slice(0, size)];
  });
/** A whole scanner or scale application around the noise, so that layouts are found often. */
const device = fc.constantFrom(
  [0x05, 0x8c, 0x09, 0x02, 0xa1, 0x01, 0x85, 0x02, 0x75, 0x08, 0x95, 0x10, 0x09, 0xfe, 0x81, 0x02],
  // The same behind a byte count that may be negative, and read on into the next report.
  [
    ...[0x05, 0x8c, 0x09, 0x02, 0xa1, 0x01, 0x85, 0x02, 0x15, 0x80, 0x75, 0x08, 0x95, 0x01, 0x0b, 0x3b, 0, 1, 0, 0x81],
    ...[0x02, 0x95, 0x10, 0x09, 0xfe, 0x81, 0x02, 0x95, 0x01, 0x09, 0xff, 0x81, 0x02],
  ],
  [0x05, 0x8d, 0x09, 0x20, 0xa1, 0x01, 0x85, 0x03, 0x75, 0x10, 0x95, 0x01, 0x09, 0x40, 0x81, 0x02],
);
const descriptorBytes = fc.oneof(
  fc.uint8Array({ maxLength: 4200, size: 'large' }),
  device.map((head) => Uint8Array.from([...head, 0xc0])),
  fc
    .tuple(fc.option(device, { nil: [] }), fc.array(item, { maxLength: 60, size: 'max' }), fc.boolean())
    .map(([head, items, closed]) => Uint8Array.from([...head, ...items.flat(), ...(closed ? [0xc0] : [])])),
);
const report = fc.oneof(
  fc.uint8Array({ maxLength: 80, size: 'max' }),
  fc
    .tuple(fc.constantFrom(0, 1, 2, 3, 4), fc.uint8Array({ maxLength: 63, size: 'max' }))
    .map(([id, rest]) => Uint8Array.of(id, ...rest)),
);
const described = (raw: Uint8Array): ReportDescriptor | undefined => {
  const parsed = parseReportDescriptor(raw);
  return parsed.ok ? parsed.value : undefined;
};

describe('whatever a device sends', () => {
  it('a report descriptor is read within its bounds or refused with a reason', () => {
    let read = 0;
    check(
      fc.property(descriptorBytes, report, fc.nat(9), (raw, bytes, index) => {
        const parsed = parseReportDescriptor(raw);
        if (!parsed.ok) {
          expect(parsed.reason).not.toBe('');
          return;
        }
        read++;
        expect(parsed.value.fields.length).toBeLessThanOrEqual(512);
        for (const field of parsed.value.fields) {
          expect(field.bitOffset + field.bitSize * field.count).toBeLessThanOrEqual(8 * 4097);
          const value = readField(bytes, field, index);
          if (value !== undefined) expect(Math.abs(value)).toBeLessThan(2 ** 32);
        }
      }),
    );
    expect(read).toBeGreaterThan(numRuns / 20);
  });

  it('keyboard reports type a bounded text', () => {
    const layouts = fc.constantFrom(...Object.values(KEYBOARD_LAYOUTS));
    check(
      fc.property(
        layouts,
        descriptorBytes,
        fc.array(report, { maxLength: 30, size: 'max' }),
        (layout, raw, reports) => {
          const descriptor = described(raw);
          const keyboard = newKeyboard(layout, descriptor && describedFormat(descriptor));
          for (const bytes of reports)
            expect(readKeyboardReport(keyboard, bytes).length).toBeLessThanOrEqual(2 * 64 + 2);
          expect(flushKeyboard(keyboard).length).toBeLessThanOrEqual(1);
          expect(flushKeyboard(keyboard)).toBe('');
        },
      ),
    );
  });

  it('scanned data reports give reads of at most 4096 characters', () => {
    const scans = fc.array(report, { maxLength: 30, size: 'max' });
    check(
      fc.property(descriptorBytes, scans, fc.boolean(), (raw, reports, noAim) => {
        const scanner = newPosScanner(described(raw), { symbologyByte: 'honeywell', noAim });
        for (const bytes of reports) {
          const parsed = readPosReport(scanner, bytes);
          if (parsed.ok && parsed.value !== null) {
            expect(parsed.value.value.length).toBeGreaterThan(0);
            expect(parsed.value.value.length).toBeLessThanOrEqual(4096);
          }
        }
      }),
    );
  });

  it('scale reports give a finite weight with its unit, or none', () => {
    let weighed = 0;
    check(
      fc.property(descriptorBytes, report, (raw, bytes) => {
        for (const layout of [scaleLayout(described(raw)), scaleLayout()]) {
          const parsed = readScaleReport(layout, bytes, { units: ['g'] });
          if (!parsed.ok || parsed.value === null || parsed.value.weight === null) continue;
          weighed++;
          expect(parsed.value.weight).toSatisfy(Number.isFinite);
          expect(parsed.value.unit).not.toBeNull();
        }
      }),
    );
    expect(weighed).toBeGreaterThan(0);
  });

  it('a text is told apart without losing a character', () => {
    const aim = fc.option(fc.string({ maxLength: 4 }), { nil: undefined });
    check(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^\][A-Za-z][0-9A-Fa-f].*$/)), aim, (text, transmitted) => {
        const { value, aim: found } = identifyRead(text, transmitted);
        expect(text).toBe(value === text ? value : `${found}${value}`);
      }),
    );
  });
});

describe('a scanner and the node set to one layout', () => {
  const modifiers = [0x00, 0x02, 0x40, 0x42];
  const names = Object.keys(KEYBOARD_LAYOUTS) as LayoutName[];
  const strokes = names.map((name) =>
    KEYBOARD_LAYOUTS[name].keys.flatMap((key, usage) =>
      (key?.levels ?? []).flatMap((character, level) =>
        typeof character === 'string' ? [{ character, press: [modifiers[level]!, 0, usage, 0, 0, 0, 0, 0] }] : [],
      ),
    ),
  );
  const text = fc.nat(names.length - 1).chain((index) =>
    fc.record({
      name: fc.constant(names[index]!),
      typed: fc.array(fc.constantFrom(...strokes[index]!), { maxLength: 40 }),
    }),
  );

  it('agree on every text', () => {
    check(
      fc.property(text, ({ name, typed }) => {
        const keyboard = newKeyboard(KEYBOARD_LAYOUTS[name]);
        const out = typed.map(({ press }) => {
          const character = readKeyboardReport(keyboard, Uint8Array.from(press));
          return character + readKeyboardReport(keyboard, new Uint8Array(8));
        });
        expect(out.join('')).toBe(typed.map(({ character }) => character).join(''));
      }),
    );
  });
});
