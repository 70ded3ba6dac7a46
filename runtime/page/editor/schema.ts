/** The part of JSON Schema that contracts are written in, as the editor reads it. */

export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  /** Told apart by `discriminator`. */
  readonly oneOf?: readonly Schema[];
  readonly discriminator?: { readonly propertyName: string };
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
}

/** The variant of a union whose tag is `tag`. */
export const variantOf = ({ oneOf = [], discriminator }: Schema, tag: unknown): Schema | undefined =>
  oneOf.find(({ properties }) => properties?.[discriminator?.propertyName ?? '']?.const === tag);

/** The values that a schema names one by one; undefined where it does not. */
export function choicesOf(schema: Schema): readonly unknown[] | undefined {
  if (schema.const !== undefined) return [schema.const];
  if (schema.type === 'boolean') return [true, false];
  const choices = schema.anyOf?.map((choice) => choice.const);
  return choices?.includes(undefined) ? undefined : choices;
}

/** The least that a value of this shape holds. */
export function leastOf(schema: Schema): unknown {
  const [choice] = choicesOf(schema) ?? [];
  if (choice !== undefined) return choice;
  switch (schema.type) {
    case 'array':
      return schema.minItems && schema.items ? [leastOf(schema.items)] : [];
    case 'object':
      return Object.fromEntries((schema.required ?? []).map((key) => [key, leastOf(schema.properties?.[key] ?? {})]));
    case 'integer':
    case 'number':
      return schema.minimum ?? 0;
    default:
      return '';
  }
}

/** What may stand there, in a few words. */
export function wordsFor(schema: Schema): string {
  const { minimum, maximum, description } = schema;
  const range = minimum === undefined ? '' : maximum === undefined ? `${minimum} or more` : `${minimum} to ${maximum}`;
  const choices = schema.type === 'boolean' ? 'true or false' : choicesOf(schema)?.join(', ');
  return [choices ?? (range || schema.type), description].filter(Boolean).join('; ');
}
