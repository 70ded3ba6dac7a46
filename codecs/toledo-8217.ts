/**
 * Toledo 8217: asked with W, a scale answers with its weight, or with why it has none (Mettler Toledo DIVA Service Manual,
 * 6.1.3.2, page 39; status bits: Rice Lake BenchPro Operation Manual, page 26).
 */
import { defineCodec } from './codec.ts';
import { SEVEN_EVEN } from './serial-line.ts';
import { type SerialScaleProtocol, STX, weightOf, withoutWeight } from './serial-scale.ts';

/** Codec `toledo-8217`. */
export const toledo8217 = defineCodec({ name: 'toledo-8217', kind: 'scale', options: {} });

const MOTION = 0x01;
const OVER_CAPACITY = 0x02;
const UNDER_ZERO = 0x04;
const OUTSIDE_ZERO_CAPTURE = 0x08;

/** The message has no unit: scales in pounds send two decimals, scales in kilograms three (the same table). */
const unitOf = (decimals: string) => (decimals.length === 3 ? 'kg' : 'lb');

/** The protocol `toledo-8217`. A scale sends no weight that is not stable; N behind it is a net weight. */
export const toledo8217Protocol: SerialScaleProtocol = {
  name: toledo8217.name,
  line: SEVEN_EVEN,
  ask: 'W',
  message: new RegExp(`${STX}(?:( *\\d{1,3}\\.(\\d{2,3}))N?|\\?([^\\r${STX}]))\\r`, 'g'),
  read([digits, decimals, status]) {
    if (digits !== undefined && decimals !== undefined) return weightOf(digits, unitOf(decimals), true);
    const bits = status?.charCodeAt(0) ?? 0;
    if (bits & OVER_CAPACITY) return withoutWeight('over_limit');
    if (bits & UNDER_ZERO) return withoutWeight('under_zero');
    if (bits & OUTSIDE_ZERO_CAPTURE) return withoutWeight('needs_rezero');
    return withoutWeight(bits & MOTION ? null : 'fault');
  },
};
