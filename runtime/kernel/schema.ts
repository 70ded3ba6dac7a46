/** Helpers every room's contract.ts is written with. JSON Schema 2020-12, checked by ajv in strict mode. */
import { type ObjectOptions, type Static, type TProperties, type TSchema, type TUnsafe, Type } from '@sinclair/typebox';

/** An object that refuses keys it does not know: every input shape. */
export const closed = <const P extends TProperties>(properties: P, options: ObjectOptions = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });

/** An object that may grow: every output shape. */
export const open = <const P extends TProperties>(properties: P, options: ObjectOptions = {}) =>
  Type.Object(properties, options);

/** `$id` of the answer of GET /status, to which every room declares its part. */
export const STATUS = 'Status';

/** `$id` of the types of events that a webhook may carry: those that the rooms of an image declare. */
export const WEBHOOK_EVENT = 'WebhookEvent';

/** A shape by name: one of another room of the image, or one made of what all of them declare. */
export const named = <T = Readonly<Record<string, unknown>>>($id: string) => Type.Unsafe<T>({ $id });

/** A union told apart by one property; ajv's `discriminator` makes its errors name that property. */
export const tagged = <const V extends readonly TSchema[]>(
  key: string,
  variants: readonly [...V],
  options: object = {},
) =>
  Type.Unsafe({
    ...options,
    type: 'object',
    discriminator: { propertyName: key },
    required: [key],
    oneOf: variants,
  } as object) as TUnsafe<Static<V[number]>>;

/** A string bounded in UTF-8 bytes, which JSON Schema's maxLength (code points) cannot say. */
export const utf8 = (maxUtf8Bytes: number, options: object = {}) => Type.String({ maxUtf8Bytes, ...options });
