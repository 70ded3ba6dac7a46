/**
 * Toledo 8217: asked with W, a scale answers with its weight, or with why it has none (Mettler Toledo DIVA Service Manual,
 * 6.1.3.2, page 39; status bits: Rice Lake BenchPro Operation Manual, page 26).
 */
import { defineCodec } from './codec.ts';
import { SEVEN_EVEN } from './serial-line.ts';
import { begin, type SaidUnit, type SerialScaleProtocol, STX, weightOf, withoutWeight } from './serial-scale.ts';

/** Codec `toledo-8217`. */
export const toledo8217 = defineCodec({
  name: 'toledo-8217',
  kind: 'scale',
  options: {},
  onSerialLine: { unitless: true },
});

const MOTION = 0x01;
const OVER_CAPACITY = 0x02;
const UNDER_ZERO = 0x04;
const OUTSIDE_ZERO_CAPTURE = 0x08;

/** The decimals that a message in this unit may have; scales in pounds send two, scales in kilograms three (the same table). */
const DECIMALS: Readonly<Record<SaidUnit, readonly number[]>> = { kg: [3], g: [0], lb: [2, 3] };

/** As the manual has it, where nobody has said it. */
function unitOf(decimals: number): SaidUnit | undefined {
  if (decimals === 3) return 'kg';
  return decimals === 2 ? 'lb' : undefined;
}

/**
 * The protocol `toledo-8217`. A scale sends no weight that is not stable; N behind it is a net weight. The message has no unit:
 * what does not fit the one that was said (a digit was lost), or has none in the manual (grams without a point: pywebdriver
 * #125), is an error, never a guess.
 */
export const toledo8217Protocol: SerialScaleProtocol = {
  name: toledo8217.name,
  line: SEVEN_EVEN,
  ask: 'W',
  message: new RegExp(`${begin(STX, '\\r')}(?:( *\\d{1,6}(?:\\.(\\d{1,3}))?)N?|\\?([^\\r${STX}]))\\r`, 'g'),
  last: '\r',
  unitless: toledo8217.onSerialLine.unitless,
  read([digits, { length: decimals } = '', status], said) {
    if (digits !== undefined) {
      const unit = said ?? unitOf(decimals);
      if (unit === undefined || !DECIMALS[unit].includes(decimals)) return { ok: false, reason: 'unit not known' };
      return weightOf(digits, unit, true);
    }
    const bits = status?.charCodeAt(0) ?? 0;
    if (bits & OVER_CAPACITY) return withoutWeight('over_limit');
    if (bits & UNDER_ZERO) return withoutWeight('under_zero');
    if (bits & OUTSIDE_ZERO_CAPTURE) return withoutWeight('needs_rezero');
    return withoutWeight(bits & MOTION ? null : 'fault');
  },
};
