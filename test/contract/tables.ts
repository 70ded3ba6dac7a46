/** The specification's tables, with what they say in words spelled out. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import errors from '../spec/errors.json' with { type: 'json' };
import events from '../spec/events.json' with { type: 'json' };
import routes from '../spec/routes.json' with { type: 'json' };

export type VariantName = 'wifi' | 'camera' | 'twin';

/** A row of a table: without `variants` in each of them, without `room` whatever rooms there are. */
interface Row {
  readonly variants?: readonly string[];
  /** Is in no image once this room is no longer in the tree. */
  readonly room?: string;
}
export interface RouteRow extends Row {
  readonly method: string;
  readonly path: string;
  readonly tier: string;
  readonly body?: string;
  /** The room whose device a good request moves. */
  readonly moves?: string;
}
interface ErrorTableRow extends Row {
  readonly code: string;
  readonly at: Readonly<Record<string, readonly string[]>>;
  readonly retry: string;
}

/** `DELETE /bootlog/*` stands for both records of the boot log. */
const EACH = ['/bootlog/boots', '/bootlog/crash'];
const spelled = (route: string): string[] =>
  route.endsWith('/bootlog/*') ? EACH.map((path) => route.replace('/bootlog/*', path)) : [route];

/** Whether the room is in this tree. */
export const isHere = (room: string): boolean =>
  ['plugins', 'runtime/services'].some((parent) => existsSync(join(parent, room)));

export const isIn =
  (variant: VariantName) =>
  ({ variants, room }: Row): boolean =>
    (variants?.includes(variant) ?? true) && (room === undefined || isHere(room));

export const routesOf = (variant: VariantName): RouteRow[] =>
  ([...routes.routes, ...routes.additions] as RouteRow[])
    .filter(isIn(variant))
    .flatMap((row) => spelled(row.path).map((path) => ({ ...row, path })));

interface EventRow extends Row {
  readonly type: string;
  readonly fields: readonly string[];
  readonly webhook: boolean;
}
export const eventsOf = (variant: VariantName): EventRow[] => (events.events as EventRow[]).filter(isIn(variant));

/** One code that one route answers with one status. `unrouted` is no route. */
export interface Pair {
  readonly code: string;
  readonly status: number;
  readonly route: string;
}
export const nameOf = ({ code, status, route }: Pair): string => `${status} ${code}: ${route}`;

const nameOfRoute = ({ method, path }: RouteRow) => `${method} ${path}`;

function expanded(word: string, variant: VariantName): string[] {
  const all = routesOf(variant);
  if (word === 'every route') return all.map(nameOfRoute);
  if (word === 'every path') return all.map(nameOfRoute);
  if (word === 'every JSON body') return all.filter(({ body }) => body === 'json').map(nameOfRoute);
  if (word === 'every gated') return all.filter(({ tier }) => tier === 'admin' || tier === 'strict').map(nameOfRoute);
  if (word === 'every write but PUT /config')
    return all.map(nameOfRoute).filter((name) => !name.startsWith('GET ') && name !== 'PUT /config');
  if (word === 'unrouted') return [word];
  const known = new Set(all.map(nameOfRoute));
  return spelled(word).filter((route) => known.has(route));
}

const pairsOf = (rows: readonly ErrorTableRow[], variant: VariantName): Pair[] =>
  rows
    .filter(isIn(variant))
    .flatMap(({ code, at }) =>
      Object.entries(at).flatMap(([status, words]) =>
        words.flatMap((word) => expanded(word, variant)).map((route) => ({ code, status: Number(status), route })),
      ),
    );

/** The error table of section 7, and the codes of a software twin. */
export const tablePairs = (variant: VariantName): Pair[] => [
  ...pairsOf(errors.node as ErrorTableRow[], variant),
  ...(variant === 'twin' ? pairsOf(errors.twin as ErrorTableRow[], variant) : []),
];
/** What the node answers beside the table, each with its reason. */
export const additionalPairs = (variant: VariantName): Pair[] => pairsOf(errors.additions as ErrorTableRow[], variant);

export const errorRows = (variant: VariantName): ErrorTableRow[] => [
  ...(errors.node as ErrorTableRow[]),
  ...(variant === 'twin' ? (errors.twin as ErrorTableRow[]) : []),
];
