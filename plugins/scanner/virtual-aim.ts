import type { Symbology } from '../../codecs/symbology.ts';

/** AIM identifier a scanner sends for each symbology (ISO/IEC 15424). */
export const AIM: Readonly<Record<Symbology, string>> = {
  ...{ ean13: ']E0', ean8: ']E4', upca: ']E0', upce: ']E0', code128: ']C0', 'gs1-128': ']C1', code39: ']A0' },
  ...{ code93: ']G0', code11: ']H0', itf: ']I0', codabar: ']F0', msi: ']M0', plessey: ']P0', telepen: ']B0' },
  ...{ straight2of5: ']S0', databar: ']e0', codablock: ']O4', code16k: ']K0', code49: ']T0', pdf417: ']L0' },
  ...{ micropdf417: ']L3', qr: ']Q1', datamatrix: ']d1', aztec: ']z0', maxicode: ']U0', hanxin: ']h0', ocr: ']o1' },
  other: ']X1',
};
