/**
 * CAS PD-II as it talks to a Samsung ER-670 (CAS PD-II Manual, 3.1.6, TYPE-6 interface, page 23): ENQ, ACK, DC1, then one block.
 * Its type 5 is not spoken: that block does not say where the decimal point is. With type NCI it is `nci`.
 */
import { defineCodec } from './codec.ts';
import { SEVEN_EVEN } from './serial-line.ts';
import { begin, ETX, type SerialScaleProtocol, STX, weightOf, withoutWeight } from './serial-scale.ts';

/** Codec `cas-pd2`. */
export const casPd2 = defineCodec({ name: 'cas-pd2', kind: 'scale', options: {}, onSerialLine: {} });

const ENQ = '\x05';
const ACK = '\x06';
const DC1 = '\x11';
const SOH = '\x01';

/**
 * The protocol `cas-pd2`: SOH STX, S or U, sign, six characters of weight, two of its unit, check character, ETX EOT. The
 * manual does not say how the check character is made, so it is not checked; nor where the point of a weight without one
 * is, so that is an error, never a guess: these scales weigh to the gram.
 */
export const casPd2Protocol: SerialScaleProtocol = {
  name: casPd2.name,
  line: SEVEN_EVEN,
  ask: ENQ,
  reply: { heard: ACK, send: DC1 },
  last: ETX,
  message: new RegExp(`${begin(SOH, ETX)}${STX}([SU])([ \\-+F])([\\d. F]{6})([A-Za-z]{2}).${ETX}`, 'gs'),
  read([state, sign = '', digits = '', unit]) {
    if (sign === 'F' || digits.includes('F')) return withoutWeight('over_limit');
    if (!digits.includes('.')) return { ok: false, reason: 'no decimal point' };
    return weightOf(`${sign.trim()}${digits.trim()}`, unit, state === 'S');
  },
};
