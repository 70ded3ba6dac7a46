/**
 * MT-SICS: SI asks for the weight as it is now, and the answer says how it is (Mettler Toledo AL-IC Operating Instructions,
 * page 72, and Reference Manual MT-SICS 11780711: S S stable, S D dynamic, S I not executable, S + overload, S - underload;
 * ES, ET, EL for a command that was not understood).
 */
import { defineCodec, type Parsed } from './codec.ts';
import type { ScaleReading } from './hid-scale.ts';
import { EIGHT_NONE } from './serial-line.ts';
import { ouncesOf, type SerialScaleProtocol, weightOf, withoutWeight } from './serial-scale.ts';

/** Codec `mt-sics`. */
export const mtSics = defineCodec({ name: 'mt-sics', kind: 'scale', options: {}, onSerialLine: {} });

/** As a BC60 for parcels sends it (artisan-roaster-scope/artisan#2223): `12:07.50 lb:oz`. */
const POUNDS_AND_OUNCES = /^([+-]?) *(\d{1,4}):(\d{1,2}(?:\.\d{1,3})?)$/;

function displayed(digits: string, unit: string | undefined, stable: boolean): Parsed<ScaleReading> {
  const [, sign = '', pounds, ounces] = POUNDS_AND_OUNCES.exec(digits) ?? [];
  if (pounds === undefined || ounces === undefined || unit !== 'lb:oz') return weightOf(digits, unit, stable);
  return ouncesOf(sign, pounds, ounces, stable);
}

/** The protocol `mt-sics`. A scale that is busy has no weight, and no fault either. Pounds and ounces are given as ounces. */
export const mtSicsProtocol: SerialScaleProtocol = {
  name: mtSics.name,
  line: EIGHT_NONE,
  ask: 'SI\r\n',
  last: '\n',
  message: /(?:S ([SDI+-])(?: +([+-]? *[\d.:]+) +([A-Za-z:]+))?|(E[STL])) *\r\n/g,
  read([state, digits, unit]) {
    if (digits !== undefined && (state === 'S' || state === 'D')) return displayed(digits, unit, state === 'S');
    if (state === '+') return withoutWeight('over_limit');
    if (state === '-') return withoutWeight('under_zero');
    return withoutWeight(state === 'I' ? null : 'fault');
  },
};
