/** JSON Schemas of the lines of a receipt (specification 2.3). */
import { type Static, Type } from '@sinclair/typebox';
import { closed, tagged } from '../../../runtime/base/schema.ts';

const Align = Type.Union([Type.Literal('left'), Type.Literal('center'), Type.Literal('right')]);
/** A text, wrapped to the width of the line; sizes are multiples of the character cell. */
export const TextLine = closed({
  type: Type.Literal('text'),
  value: Type.String({ maxLength: 8192 }),
  bold: Type.Optional(Type.Boolean()),
  underline: Type.Optional(Type.Boolean()),
  invert: Type.Optional(Type.Boolean()),
  align: Type.Optional(Align),
  size: Type.Optional(
    Type.String({
      pattern: '^([1-8]x|[1-8]x[1-8])$',
      description: '1x to 8x both ways, or WxH such as 2x1',
    }),
  ),
  font: Type.Optional(Type.Union([Type.Literal('a'), Type.Literal('b')])),
});

/** Texts side by side in cells; widths are in characters. */
export const ColumnsLine = closed({
  type: Type.Literal('columns'),
  cells: Type.Array(
    closed({
      value: Type.String({ maxLength: 2048 }),
      width: Type.Optional(Type.Integer({ minimum: 1, maximum: 96 })),
      align: Type.Optional(Align),
      bold: Type.Optional(Type.Boolean()),
    }),
    { minItems: 1, maxItems: 16 },
  ),
});

/** A text in block letters. */
export const BannerLine = closed({
  type: Type.Literal('banner'),
  value: Type.String({ minLength: 1, maxLength: 64 }),
  align: Type.Optional(Align),
});

/** A horizontal line. */
export const RuleLine = closed({
  type: Type.Literal('rule'),
  style: Type.Optional(Type.Union([Type.Literal('single'), Type.Literal('double'), Type.Literal('dashed')])),
});

/** Blank lines. */
export const FeedLine = closed({
  type: Type.Literal('feed'),
  lines: Type.Optional(Type.Integer({ minimum: 1, maximum: 255 })),
});

/** Cuts the paper. */
export const CutLine = closed({
  type: Type.Literal('cut'),
  mode: Type.Optional(Type.Union([Type.Literal('full'), Type.Literal('partial')])),
});

export const Symbology = Type.Union(
  (
    [
      ...(['qr', 'pdf417', 'ean13', 'ean8', 'upca', 'upce', 'code39', 'code93', 'code128', 'itf', 'codabar'] as const),
      ...(['gs1-128', 'gs1-databar', 'gs1-databar-expanded', 'datamatrix', 'aztec'] as const),
    ] as const
  ).map((name) => Type.Literal(name)),
);

/** A bar code, QR Code or another symbol; GS1 data has its application identifiers in brackets, as `(01)…(10)…`. */
export const BarcodeLine = closed({
  type: Type.Literal('barcode'),
  symbology: Symbology,
  value: Type.String({ minLength: 1, maxLength: 7089 }),
  align: Type.Optional(Align),
  height: Type.Optional(Type.Integer({ minimum: 1, maximum: 255, description: 'dots, one-dimensional symbologies' })),
  moduleWidth: Type.Optional(
    Type.Integer({
      minimum: 2,
      maximum: 6,
      description: 'dots, one-dimensional symbologies',
    }),
  ),
  hri: Type.Optional(
    Type.Union([Type.Literal('none'), Type.Literal('above'), Type.Literal('below'), Type.Literal('both')]),
  ),
  size: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 16,
      description: 'module size in dots, two-dimensional symbologies',
    }),
  ),
  errorCorrection: Type.Optional(
    Type.Union([Type.Literal('l'), Type.Literal('m'), Type.Literal('q'), Type.Literal('h')]),
  ),
});

/** A bitmap in base64: one bit a dot, rows padded to a byte, 1 is black. */
export const RasterLine = closed({
  type: Type.Literal('raster'),
  width: Type.Integer({ minimum: 1, maximum: 2040, description: 'dots' }),
  height: Type.Integer({ minimum: 1, maximum: 65535, description: 'rows' }),
  data: Type.String({ description: '1 bit a dot, most significant first, rows padded to a byte, base64' }),
  align: Type.Optional(Align),
});

/** The seven line types of the specification, and `columns`. */
export const Line = tagged(
  'type',
  [TextLine, ColumnsLine, BannerLine, RuleLine, FeedLine, CutLine, BarcodeLine, RasterLine],
  { $id: 'Line' },
);
export type Line = Static<typeof Line>;
