/** The default options of a variant (host, ports, state directory), and the version of this build. */
declare module 'virtual:defaults' {
  import type { Defaults } from '../../boot/options.ts';

  export const defaults: Defaults;
  export const version: string;
  /** Beside the image are the programs for people without a board: twin, pull, what makes plugins. */
  export const forPeople: boolean;
}

/** How the devices of the rooms are certified (`certify.ts`). */
declare module 'virtual:tours' {
  import type { Tour } from '../../certify/tour.ts';

  export const tours: readonly Tour[];
}

/** The kinds of devices that can be certified. */
declare module 'virtual:tour-kinds' {
  export const kinds: readonly string[];
}

/** The commands of the rooms (`cli.ts`), by their names. */
declare module 'virtual:commands' {
  import type { CliCommand } from '../../cli/command.ts';

  export const commands: Readonly<Record<string, CliCommand>>;
}

/** What a node answers with success, by `METHOD /path`; for JSON with a validator of its shape. */
declare module 'virtual:answers' {
  import type { CompiledValidator } from '../../kernel/validator.ts';

  export const answers: Readonly<Record<string, { readonly type: string; readonly validate?: CompiledValidator }>>;
}

/** The module that the build generates for a variant: its rooms, recipes and bindings. */
declare module 'virtual:variant' {
  import type { Bindings } from '../../bindings/bindings.ts';
  import type { VirtualFactories } from '../../bindings/virtual/bindings.ts';
  import type { ImageInfo, Node } from '../../kernel/node.ts';
  import type { Plugin } from '../../kernel/plugin.ts';
  import type { Validators } from '../../kernel/validator.ts';
  import type { BuiltinRows } from '../../recipes/table.ts';

  export const image: ImageInfo;
  export const beside: Node['beside'];
  export const plugins: readonly Plugin[];
  export const recipes: BuiltinRows;
  export const recipeCount: number;
  export const validators: Validators;
  /** Virtual bindings only: devices that are plugged in at start, and further ones that a user can plug in. */
  export const devices: VirtualFactories;
  export const atHand: VirtualFactories;
  export function bindings(stateDirectory: string, restart: () => void): Promise<Bindings>;
}

/** A page of the node, as the build generates it. */
declare module 'virtual:document/*' {
  import type { BuiltDocument } from '../../http/document.ts';

  export const document: BuiltDocument;
}

/**
 * The validators of a variant, exported by the `$id` of their schema. Only those that are imported by name are
 * declared.
 */
declare module 'virtual:validators' {
  import type { CompiledValidator } from '../../kernel/validator.ts';

  export const NodeBeacon: CompiledValidator;
  export const ConfigPatch: CompiledValidator;
}
