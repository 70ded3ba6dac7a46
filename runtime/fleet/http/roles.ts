/** What people and programs may do: roles, each with all that the one before it may, and scopes of tokens. */

export const ROLES = ['viewer', 'operator', 'releaser', 'owner'] as const;
export type Role = (typeof ROLES)[number];
/** What a token of the API is for: reading, the numbers, messages of nodes, releases and rollouts. */
export const SCOPES = ['read', 'metrics', 'ingest', 'release'] as const;
export type Scope = (typeof SCOPES)[number];

/** The people and programs that may use a route; `node`: the handler checks the token of a node. */
export type RouteAccess = 'anyone' | 'node' | 'metrics' | Role;

const MAY: Readonly<Record<Exclude<RouteAccess, 'anyone' | 'node'>, readonly (Role | Scope)[]>> = {
  metrics: [...ROLES, 'read', 'metrics'],
  viewer: [...ROLES, 'read', 'release'],
  operator: ['operator', 'releaser', 'owner'],
  releaser: ['releaser', 'owner', 'release'],
  owner: ['owner'],
};

/** Whether a role or scope is enough. */
export const isEnough = (has: Role | Scope, access: Exclude<RouteAccess, 'anyone' | 'node'>): boolean =>
  MAY[access].includes(has);

/** The higher of two roles. */
export const higher = (one: Role | undefined, other: Role): Role =>
  one !== undefined && ROLES.indexOf(one) > ROLES.indexOf(other) ? one : other;
