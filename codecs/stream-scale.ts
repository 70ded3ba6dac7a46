/**
 * Scales that send a line for each weight without being asked, as A&D's do and many others after them (T-Scale and Autoda
 * AD2017D manual, page 50; CAS CI-400 Owner's Manual, appendix 1; Selleton SL-7516 manual, page 16; A&D EK-L manual, page 28,
 * GC manual, page 51, AD-4329A manual, page 35): `ST,GS,+  4.876kg`.
 */
import { defineCodec } from './codec.ts';
import { EIGHT_NONE } from './serial-line.ts';
import { type SerialScaleProtocol, weightOf, withoutWeight } from './serial-scale.ts';

/** Codec `scale-stream`. */
export const scaleStream = defineCodec({ name: 'scale-stream', kind: 'scale', options: {}, onSerialLine: {} });

/**
 * CAS puts a device and its lamps in front of the weight, in two characters, and then the weight has eight. Without that
 * the whole kilograms of a weight with a decimal comma would be taken for them. They stand behind gross or net alone:
 * elsewhere two letters say that it is no weight, as TR does of a tare.
 */
const DEVICE_AND_LAMPS = '(?:[^\\r\\n]{2},(?=[-+ \\d.]{8} ?[A-Za-z]))?';
/**
 * T-Scale's NHB has a space where others have the comma. A&D's have G and N with a blank, how the weight compares with a target, or
 * nothing, and then always a sign.
 */
const GROSS_OR_NET = `(?:(?:GS|NT)(?:,${DEVICE_AND_LAMPS}| )|(?:(?:[GN] |OK|HI|LO|--),)?(?=[+-]))`;
/** Tons on some, tolas on others: an error. */
const TONS_OR_TOLAS = 't';

/**
 * The protocol `scale-stream`: ST at rest, US in motion, OL out of its range, with - under it; GS gross or NT net; the weight and its
 * unit. A decimal comma stands in none of the manuals as the scale leaves the factory, and is an error.
 */
export const scaleStreamProtocol: SerialScaleProtocol = {
  name: scaleStream.name,
  line: EIGHT_NONE,
  last: '\n',
  message: new RegExp(
    `(?:(ST|US),${GROSS_OR_NET} *([+-]? *[\\d.]+) *,? *([A-Za-z]{1,3})|(OL[^\\r\\n]{0,20})) *\\r\\n?`,
    'g',
  ),
  read([state, digits = '', unit, outOfRange]) {
    if (outOfRange !== undefined) return withoutWeight(/-[ \d.]/.test(outOfRange) ? 'under_zero' : 'over_limit');
    if (unit?.toLowerCase() === TONS_OR_TOLAS) return { ok: false, reason: 'unit "t"' };
    return weightOf(digits, unit, state === 'ST');
  },
};
