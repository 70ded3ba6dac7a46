/** Helpers for the schemas in the rooms' `contract.ts`: JSON Schema 2020-12, compiled by ajv in strict mode. */
import {
  type ObjectOptions,
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  type TString,
  type TUnsafe,
  Type,
} from '@sinclair/typebox';

/** An object that refuses unknown keys; used for input. */
export const closed = <const P extends TProperties>(properties: P, options: ObjectOptions = {}): TObject<P> =>
  Type.Object(properties, { additionalProperties: false, ...options });

/** An object that may get more properties in later versions; used for output. */
export const open = <const P extends TProperties>(properties: P, options: ObjectOptions = {}): TObject<P> =>
  Type.Object(properties, options);

/** `$id` of the response of GET /status, which consists of the parts that the rooms declare. */
export const STATUS = 'Status';

/** `$id` of the types of events that a webhook may carry: those that the rooms of an image declare. */
export const WEBHOOK_EVENT = 'WebhookEvent';

/** A reference to a schema by `$id`: one of another room, or one that the build makes from all rooms' declarations. */
export const named = <T = Readonly<Record<string, unknown>>>($id: string): TUnsafe<T> => Type.Unsafe<T>({ $id });

/** A union of objects with one discriminating property `key`; ajv's `discriminator` makes errors name that property. */
export const tagged = <const V extends readonly TSchema[]>(
  key: string,
  variants: readonly [...V],
  options: object = {},
): TUnsafe<Static<V[number]>> =>
  Type.Unsafe({
    ...options,
    type: 'object',
    discriminator: { propertyName: key },
    required: [key],
    oneOf: variants,
  });

/** A string with at most `maxUtf8Bytes` bytes in UTF-8; JSON Schema's `maxLength` counts code points. */
export const utf8 = (maxUtf8Bytes: number, options: object = {}): TString => Type.String({ maxUtf8Bytes, ...options });
