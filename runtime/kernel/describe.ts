/** What an image can do, from its declarations alone: the output of `--describe` and the content of image.json. */

import type { Composition } from './composition.ts';
import type { ImageInfo } from './node.ts';

/**
 * One JSON object: variant, version, plugins, routes, endpoints, codecs, errors, configuration keys, events, recipe
 * count.
 */
export const describe = (
  { hardware, roomsAreOwn: _, ...image }: ImageInfo,
  composition: Composition,
  recipes: number,
) => ({
  ...image,
  ...hardware,
  plugins: composition.plugins.map(({ name }) => name),
  routes: composition.routes.map(({ method, path, tier, summary }) => ({ method, path, tier, summary })),
  endpoints: [...composition.endpoints.values()],
  codecs: [...composition.codecs.values()].map(({ name, kind, options }) => ({
    name,
    kind,
    options: Object.keys(options),
  })),
  errors: [...composition.errors.values()],
  config: [...composition.config.keys()],
  events: [...composition.events.keys()],
  recipes,
});
