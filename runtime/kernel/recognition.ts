/**
 * What a device is: its kind by recipe rows and descriptors, else by probing. A row of the cloud that does not fit what the
 * device is by itself is passed over: the node goes on as if it had none, and says so.
 */
import { defined } from '../base/defined.ts';
import type { UsbDevice, UsbIdentity } from '../bindings/usb.ts';
import { ANY, disagreeing, isOfCloud, type RecipeTable, type Resolution } from '../recipes/table.ts';
import type { Hooks } from './hooks.ts';
import type { Logger } from './log.ts';

/** Tells kinds of devices; keeps nothing but which rows are passed over, in the table of recipes. */
export class Recognition {
  readonly #hooks: Hooks;
  readonly #recipes: RecipeTable;
  readonly #log: Logger;

  constructor({
    hooks,
    recipes,
    log,
  }: {
    readonly hooks: Hooks;
    readonly recipes: RecipeTable;
    readonly log: Logger;
  }) {
    this.#hooks = hooks;
    this.#recipes = recipes;
    this.#log = log;
  }

  /** The row in force for a device; undefined where none fits. */
  recipe({ identity }: UsbDevice): Resolution | undefined {
    return this.#recipes.resolve(identity);
  }

  /**
   * The kind of a device, undefined where it must be asked. A cloud row for exactly this product that gives another kind than
   * the device has is passed over.
   */
  classify(device: UsbDevice): string | undefined {
    for (;;) {
      const recipe = this.recipe(device);
      const kind = this.#kindOf(device.identity, recipe);
      if (kind === undefined || !this.#passesOverFor(device, kind, recipe)) return kind;
    }
  }

  /**
   * The kind by descriptors, else by probing, as long as the device is there. Passes over a cloud row with which no plugin
   * recognizes the device. Rejects where the device does not answer.
   */
  async ask(device: UsbDevice, isThere: () => boolean): Promise<string | undefined> {
    for (;;) {
      const kind = this.classify(device) ?? (await this.#hooks.probe.promise(device));
      const recipe = this.recipe(device);
      if (!isThere() || !isOfCloud(recipe)) return kind;
      if (kind === undefined) this.passOver(device, recipe, `nothing here can drive it as a ${recipe.row.kind}`);
      else if (!this.#passesOverFor(device, kind, recipe)) return kind;
    }
  }

  /** The kind without cloud rows, by probing where its descriptors do not tell; undefined also where it does not answer. */
  async ownKind(device: UsbDevice): Promise<string | undefined> {
    return this.#describedKind(device) ?? this.#hooks.probe.promise(device).catch(() => undefined);
  }

  /** Passes over a row for this device. `reason` is read by people. */
  passOver({ identity }: UsbDevice, { row, tier }: Resolution, reason: string): void {
    this.#recipes.passOver(identity, row, reason);
    this.#log.warn({ ...idsOf(identity), row: row.id, tier, reason }, 'recipe row not followed');
  }

  /** The recipe in use, with `disagreement` set where a cloud row differs from what the node would have chosen. */
  compared(device: UsbDevice, kind: string, recipe: Resolution): Resolution {
    const { identity } = device;
    const [passed] = this.#recipes.passedOver(identity);
    if (passed !== undefined) return { ...recipe, disagreement: disagreeing(passed.row, recipe.row, passed.reason) };
    if (!isOfCloud(recipe)) return recipe;
    const own = this.#recipes.own(identity);
    const ownKind = this.#describedKind(device);
    const codec = own?.row.kind === ownKind ? own?.row.codec : undefined;
    const differs = ownKind !== undefined && (ownKind !== kind || (codec ?? recipe.row.codec) !== recipe.row.codec);
    if (!differs) return recipe;
    return { ...recipe, disagreement: disagreeing(recipe.row, { kind: ownKind, ...defined({ codec }) }) };
  }

  /** The detail of a refusal, with the rows that were passed over for this device. */
  explained({ identity }: UsbDevice, detail: string | undefined): string | undefined {
    const passed = this.#recipes.passedOver(identity).map((each) => `row ${each.row.id} not followed: ${each.reason}`);
    return passed.length === 0 ? detail : [...(detail === undefined ? [] : [detail]), ...passed].join('; ');
  }

  #passesOverFor(device: UsbDevice, kind: string, recipe: Resolution | undefined): boolean {
    if (!isOfCloud(recipe) || recipe.row.kind === kind || recipe.row.productId === '*') return false;
    this.passOver(device, recipe, `by its descriptors the device is a ${kind}`);
    return true;
  }

  /** By descriptors and built-in rows. */
  #describedKind({ identity }: UsbDevice): string | undefined {
    return this.#kindOf(identity, this.#recipes.own(identity));
  }

  /**
   * What the taps of `classify` say. Several may know a device: one by its row, one by its class alone. The room whose kind the
   * image's own row for this product names goes before the others, in whatever order they tapped; else the first one.
   */
  #kindOf(identity: UsbIdentity, recipe: Resolution | undefined): string | undefined {
    const { classify } = this.#hooks;
    if (recipe?.tier !== 'builtin' || recipe.row.productId === ANY) return classify.call(identity, recipe);
    let first: string | undefined;
    for (const { fn } of classify.taps) {
      const kind = (fn as typeof classify.call)(identity, recipe);
      if (kind === recipe.row.kind) return kind;
      first ??= kind;
    }
    return first;
  }
}

/** What names a device in the log. */
export const idsOf = ({ vendorId, productId, port }: UsbIdentity) => ({ vendorId, productId, port });

/** The detail of a refusal; names the recipe row if it came from the cloud. */
export const because = (recipe: Resolution | undefined, detail?: string): { readonly detail?: string } =>
  isOfCloud(recipe)
    ? { detail: `${detail === undefined ? '' : `${detail}, `}by row ${recipe.row.id} of the cloud` }
    : { ...defined({ detail }) };
