/** JSON Schemas of what is stored of printers while the node does not run. */
import { type Static, Type } from '@sinclair/typebox';
import { closed } from '../../../runtime/base/schema.ts';

/** The stored form of `MacroMemory` (codecs/escpos-macro.ts). */
export const StoredMacros = closed(
  { begun: Type.Boolean(), recording: Type.Boolean(), pulse: Type.Boolean() },
  { $id: 'StoredMacros' },
);

/** The stored form of what clients left printers in: bytes that they still expect, and their setup mode; another shape counts as none. */
export const StoredPayloads = Type.Array(
  closed({
    vendorId: Type.String({ maxLength: 4 }),
    productId: Type.String({ maxLength: 4 }),
    serial: Type.String({ maxLength: 256 }),
    endpoint: Type.Optional(Type.String({ description: 'where the variant has several printers' })),
    bytes: Type.Integer({ minimum: 0 }),
    setup: Type.Optional(Type.Boolean()),
  }),
  { $id: 'StoredPayloads', maxItems: 4 },
);
export type StoredPayloads = Static<typeof StoredPayloads>;
