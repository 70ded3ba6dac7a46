/** The module the build writes for a variant. */
declare module 'virtual:variant' {
  import type { Bindings } from '../bindings/bindings.ts';
  import type { Validators } from '../kernel/contract.ts';
  import type { ImageInfo } from '../kernel/kernel.ts';
  import type { Plugin } from '../kernel/plugin.ts';
  import type { RecipeRow } from '../kernel/recipes.ts';

  export const image: ImageInfo;
  export const defaults: {
    readonly host: string;
    readonly port: number;
    readonly rawPort: number;
    readonly state: string;
  };
  export const plugins: readonly Plugin[];
  export const recipes: readonly RecipeRow[];
  export const validators: Validators;
  export function bindings(stateDirectory: string, restart: () => void): Promise<Bindings>;
}
