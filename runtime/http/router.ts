/** The router of node and fleet, and what is answered where no route is. */
import Router from '@koa/router';
import type { Context } from 'koa';
import { ApiError } from '../kernel/errors.ts';

/** How else a path may be written: with a slash behind it, unless `strict`; in whatever case, unless `sensitive`. */
type Spelling = { readonly strict: boolean; readonly sensitive: boolean };
const AS_DECLARED: Spelling = { strict: true, sensitive: true };

/**
 * A router that finds paths without parameters (nearly all) in a map, without testing the expression of every route, and
 * has the expressions of those that are written in one way alone made when a path is first requested: a start of the node would
 * wait for all of them. These routes come before those with parameters. HEAD is served wherever GET is.
 */
export class StaticFirstRouter extends Router {
  /** What registers the routes of a path, until it is first requested. */
  readonly #late = new Map<string, (() => void)[]>();
  /** Matches by method and path; undefined until first requested. */
  readonly #known = new Map<string, ReturnType<Router['match']> | undefined>();

  add(method: string, path: string, handler: (ctx: Context) => Promise<void>, spelling = AS_DECLARED): void {
    const register = () => {
      this.register(path, [method], handler, spelling);
    };
    const isStatic = !/[:*{]/.test(path);
    if (isStatic) this.#known.set(`${method} ${path}`, undefined);
    if (isStatic && spelling === AS_DECLARED) this.#late.set(path, [...(this.#late.get(path) ?? []), register]);
    else register();
  }

  override match(path: string, method: string): ReturnType<Router['match']> {
    this.#registerLate(path);
    const key = `${method} ${path}`;
    const found = this.#known.get(key) ?? super.match(path, method);
    if (this.#known.has(key)) this.#known.set(key, found);
    return found;
  }

  #registerLate(path: string): void {
    const late = this.#late.get(path);
    if (late === undefined) return;
    this.#late.delete(path);
    const { length } = this.stack;
    for (const register of late) register();
    this.stack.unshift(...this.stack.splice(length));
  }
}

/** The methods of the routes of this path, as the field Allow has them; '' where there are none. */
export function allowedOn(ctx: Context): string {
  const layers: ReturnType<Router['match']>['path'] = ctx['matched'] ?? [];
  return [...new Set(layers.flatMap(({ methods }) => methods))].join(', ');
}

/** The last middleware: throws `not_found`, or `method_not_allowed` if the path has routes with other methods. */
export function unrouted(ctx: Context): never {
  const allowed = allowedOn(ctx);
  throw allowed === '' ? new ApiError('not_found') : new ApiError('method_not_allowed', undefined, { Allow: allowed });
}
