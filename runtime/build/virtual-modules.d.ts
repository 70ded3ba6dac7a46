/** Where the node of a variant listens and keeps its state, unless told otherwise; and the version of this build. */
declare module 'virtual:defaults' {
  import type { Defaults } from '../boot/options.ts';

  export const defaults: Defaults;
  export const version: string;
}

/** The module the build writes for a variant. */
declare module 'virtual:variant' {
  import type { Bindings } from '../bindings/bindings.ts';
  import type { VirtualFactories } from '../bindings/virtual/bindings.ts';
  import type { Validators } from '../kernel/contract.ts';
  import type { ImageInfo } from '../kernel/node.ts';
  import type { Plugin } from '../kernel/plugin.ts';
  import type { RecipeRow } from '../kernel/recipes.ts';

  export const image: ImageInfo;
  export const plugins: readonly Plugin[];
  export const recipes: readonly RecipeRow[];
  export const validators: Validators;
  /** Virtual bindings only: what is plugged in at start, and what lies beside the bus. */
  export const devices: VirtualFactories;
  export const atHand: VirtualFactories;
  export function bindings(stateDirectory: string, restart: () => void): Promise<Bindings>;
}

/** The operator page, as the build made it. */
declare module 'virtual:page' {
  export const page: {
    /** Of the document. */
    readonly etag: string;
    /** Content-Security-Policy. */
    readonly policy: string;
    /** That it can come in, the first where a reader asks for none of them. */
    readonly languages: readonly string[];
    /** The document with a place for its words, compressed, in base64. */
    readonly html: string;
    /** JSON by language, compressed, in base64. */
    readonly words: string;
  };
}

/** Every validator of a variant by the `$id` of its schema; those that are imported by name stand here. */
declare module 'virtual:validators' {
  import type { CompiledValidator } from '../kernel/contract.ts';

  export const NodeBeacon: CompiledValidator;
}
