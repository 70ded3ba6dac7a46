/** The OpenAPI document of each variant, and answers measured against it. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openapi } from '../../runtime/assembly/docs/openapi.ts';
import { compose } from '../../runtime/kernel/composition.ts';
import { CORE_ERRORS } from '../../runtime/kernel/core-errors.ts';
import type { Plugin } from '../../runtime/kernel/plugin.ts';
import { cameraPlugins, twinPlugins, wifiPlugins } from '../plugins.ts';
import type { VariantName } from './tables.ts';

export interface Media {
  readonly example?: unknown;
  readonly schema?: object;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content: Readonly<Record<string, Media>>;
  readonly 'x-errors'?: Readonly<Record<string, { readonly retry: string }>>;
  readonly 'x-events'?: Readonly<Record<string, object>>;
}
export interface Operation {
  readonly operationId: string;
  readonly 'x-tier': string;
  readonly security: readonly object[];
  readonly parameters: readonly { readonly name: string; readonly required: boolean; readonly schema: object }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>>; readonly 'x-limit-bytes': number };
  readonly responses: Readonly<Record<string, Response>>;
}
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
  readonly 'x-errors': Readonly<Record<string, { readonly status: number; readonly retry: string }>>;
}

const PLUGINS: Readonly<Record<VariantName, readonly Plugin[]>> = {
  wifi: wifiPlugins,
  camera: cameraPlugins,
  twin: twinPlugins,
};
const BANDS = ['2.4'] as const;

const documentOf = (variant: VariantName): Document => {
  const image = {
    variant,
    version: '1.2.3',
    usbChannels: 8,
    hardware: { bands: BANDS },
    trustedKeys: [],
    securityFloor: 1,
    scripts: [],
  };
  return JSON.parse(JSON.stringify(openapi(image, compose(PLUGINS[variant], CORE_ERRORS))));
};

export const documents: Readonly<Record<VariantName, Document>> = {
  wifi: documentOf('wifi'),
  camera: documentOf('camera'),
  twin: documentOf('twin'),
};

export const operationOf = (variant: VariantName, route: string): Operation | undefined => {
  const [method = '', path = ''] = route.split(' ');
  return documents[variant].paths[path]?.[method.toLowerCase()];
};

/** What a JSON pointer (RFC 6901) names in a document. */
export const at = (document: object, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (part, name) => (part as Record<string, unknown> | undefined)?.[name.replaceAll('~1', '/')],
      document,
    );

/** Every operation with its name, `GET /status`. */
export const operationsOf = (variant: VariantName): (readonly [string, Operation])[] =>
  Object.entries(documents[variant].paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
  );

/** Objects as they are described and nothing more: a field that nobody described is a fault. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, closed(part)]));
  const isShape = parts['type'] === 'object' && 'properties' in parts && !('additionalProperties' in parts);
  return isShape ? { ...parts, additionalProperties: false } : parts;
}

export class Schemas {
  readonly #ajv = new Ajv2020({
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    discriminator: true,
    allErrors: true,
  });
  readonly #compiled = new Map<object, ValidateFunction>();

  /** `change` is made to every schema before it is compiled. */
  constructor({ components }: Document, change: (schema: unknown) => unknown = (schema) => schema) {
    this.#ajv.addVocabulary(['x-max-utf8-bytes']);
    this.#ajv.addKeyword({ keyword: 'x-pattern', macro: (pattern: string) => ({ pattern }) });
    this.change = (schema) =>
      JSON.parse(JSON.stringify(change(schema)).replaceAll('"#/components/schemas/', '"shape:'));
    for (const [name, schema] of Object.entries(components.schemas)) {
      this.#ajv.addSchema(this.change(schema), `shape:${name}`);
    }
  }
  readonly change: (schema: unknown) => object;

  /** Throws where it is no JSON Schema that can be compiled in strict mode. */
  compile(schema: object): ValidateFunction {
    const validate = this.#compiled.get(schema) ?? this.#ajv.compile(this.change(schema));
    this.#compiled.set(schema, validate);
    return validate;
  }

  /** What is wrong with a value; '' for nothing. */
  fault(schema: object, value: unknown): string {
    const validate = this.compile(schema);
    if (validate(value)) return '';
    return (validate.errors ?? [])
      .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
      .join('; ');
  }
}

const strict = {
  wifi: new Schemas(documents.wifi, closed),
  camera: new Schemas(documents.camera, closed),
  twin: new Schemas(documents.twin, closed),
};

/** What is wrong with a value of a schema of the document, undescribed fields included; '' for nothing. */
export const faultOf = (variant: VariantName, schema: object | undefined, value: unknown): string =>
  schema === undefined ? 'nothing describes it' : strict[variant].fault(schema, value);
