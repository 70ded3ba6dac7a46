/** The scanner's configuration: how reports are read, and which reads are accepted. */
import { Type } from '@sinclair/typebox';
import { closed } from '../../runtime/kernel/schema.ts';

/** Names that a read is reported under (ISO/IEC 15424 gives the families, the EAN/UPC ones are told apart by length). */
export const ScannedSymbology = Type.Union(
  (
    [
      ...['ean13', 'ean8', 'upca', 'upce', 'code128', 'gs1-128', 'code39', 'code93', 'code11', 'itf', 'codabar', 'msi'],
      ...['plessey', 'telepen', 'straight2of5', 'databar', 'codablock', 'code16k', 'code49', 'pdf417', 'micropdf417'],
      ...['qr', 'datamatrix', 'aztec', 'maxicode', 'hanxin', 'ocr', 'other'],
    ] as const
  ).map((name) => Type.Literal(name)),
);

const count = (minimum: number, maximum: number) => Type.Optional(Type.Integer({ minimum, maximum }));
const oneOf = (...names: string[]) => Type.Optional(Type.Union(names.map((name) => Type.Literal(name))));

export const ScannerConfig = closed({
  readMode: oneOf('auto', 'keyboard', 'hidpos'),
  layout: oneOf('us', 'uk', 'de', 'fr', 'es', 'it'),
  minLength: count(1, 64),
  interKeyTimeoutMs: count(10, 1000),
  duplicateWindowMs: count(0, 10_000),
  burstGapMs: count(0, 1000),
  symbologies: Type.Optional(
    Type.Array(ScannedSymbology, { uniqueItems: true, description: 'accepted ones; [] = all' }),
  ),
});
