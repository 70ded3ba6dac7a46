/** The specification's tables, with what they say in words spelled out. */
import errors from '../spec/errors.json' with { type: 'json' };
import routes from '../spec/routes.json' with { type: 'json' };

export type VariantName = 'wifi' | 'camera' | 'twin';

export interface RouteRow {
  readonly method: string;
  readonly path: string;
  readonly tier: string;
  readonly body?: string;
  readonly variants?: readonly string[];
}
interface ErrorTableRow {
  readonly code: string;
  readonly at: Readonly<Record<string, readonly string[]>>;
  readonly retry: string;
}

/** `DELETE /bootlog/*` stands for both records of the boot log. */
const EACH = ['/bootlog/boots', '/bootlog/crash'];
const spelled = (route: string): string[] =>
  route.endsWith('/bootlog/*') ? EACH.map((path) => route.replace('/bootlog/*', path)) : [route];

const isIn = (variant: VariantName) => (row: { readonly variants?: readonly string[] }) =>
  row.variants?.includes(variant) ?? true;

export const routesOf = (variant: VariantName): RouteRow[] =>
  ([...routes.routes, ...routes.additions] as RouteRow[])
    .filter(isIn(variant))
    .flatMap((row) => spelled(row.path).map((path) => ({ ...row, path })));

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
  if (word === 'unrouted') return [word];
  const known = new Set(all.map(nameOfRoute));
  return spelled(word).filter((route) => known.has(route));
}

const pairsOf = (rows: readonly ErrorTableRow[], variant: VariantName): Pair[] =>
  rows.flatMap(({ code, at }) =>
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
