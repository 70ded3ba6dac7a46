/**
 * The settings of a node as a file, for another box: what its API tells and takes, without keys and passwords, of which the node
 * tells none; without API mode, network and fixed address, which are of the place and not of the shop.
 */
import { type NodeClient, NodeError } from '../../client/client.ts';

type Values = Readonly<Record<string, unknown>>;

/** The file: the body of one request a path. */
export interface SavedSettings {
  /** Version of this form. */
  readonly tillnode: 1;
  readonly savedAt: string;
  readonly from: { readonly deviceId: string; readonly variant: string; readonly firmwareVersion: string };
  readonly settings: Readonly<Record<string, Values>>;
  /** What the node had and does not tell, as `webhook.secret`. */
  readonly typeAnew: readonly string[];
}

/** What came of restoring. */
export interface Restored {
  /** What this node does not have: keys, as `ipp`, or a `camera` that takes such pictures. */
  readonly leftOut: readonly string[];
  readonly typeAnew: readonly string[];
}

/** Path of the camera's settings, which are told by `GET /camera`, and tried out with the camera before they are stored. */
const CAMERA = '/camera/config';
/** In this order; an image may lack all but the first. The last is the one that cannot be put back: an address of it drops its token. */
const PATHS = ['/config', '/name', '/update', CAMERA, '/cloud'] as const;
/** Most characters of a file. */
export const MOST_CHARACTERS = 256 * 1024;
/** Keys that belong to the place, and what would lock out who loads a file of somebody else. */
const NOT_SAVED = new Set(['apiMode', 'apiKey']);

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isAbsent = (error: unknown): boolean => error instanceof NodeError && error.status === 404;
/** This node has no such thing: no such route, no camera, or one that takes no such picture. */
const isNotFor = (error: unknown): boolean =>
  isAbsent(error) || (error instanceof NodeError && ['no_camera', 'capture_failed'].includes(error.code ?? ''));

/** The values without `…Set`, which stands for a credential; those that are set are added to `typeAnew`. */
function withoutCredentials(view: Values, typeAnew: string[], above = ''): Values {
  const kept = Object.entries(view).flatMap(([key, value]) => {
    if (key.endsWith('Set') && typeof value === 'boolean') {
      if (value) typeAnew.push(`${above}${key.slice(0, -'Set'.length)}`);
      return [];
    }
    return [[key, isValues(value) ? withoutCredentials(value, typeAnew, `${above}${key}.`) : value] as const];
  });
  return Object.fromEntries(kept);
}

const told = async (client: NodeClient, path: string): Promise<Values | undefined> => {
  const answer = await client.request('GET', path).catch((error: unknown) => {
    if (isAbsent(error)) return undefined;
    throw error;
  });
  return isValues(answer) ? answer : undefined;
};

/** How the node updates itself, by a PUT that changes nothing: only who may change it is told. */
const updates = async (client: NodeClient, typeAnew: string[]): Promise<Values | undefined> => {
  const answer = await client.request('PUT', '/update', {}).catch((error: unknown) => {
    if (isAbsent(error) || (error instanceof NodeError && error.status === 401)) return undefined;
    throw error;
  });
  if (!isValues(answer)) return undefined;
  const { enabled, policy } = withoutCredentials(answer, typeAnew);
  return { enabled, policy };
};

/** What the node would have to be told to be as it is. Rejects with a NodeError. */
export async function backup(client: NodeClient): Promise<SavedSettings> {
  const { identity } = await client.status();
  const { deviceId, variant, firmwareVersion, name } = identity as typeof identity & { readonly name?: string };
  const typeAnew: string[] = [];
  const config = withoutCredentials((await told(client, '/config')) ?? {}, typeAnew);
  const update = await updates(client, typeAnew);
  const camera = (await told(client, '/camera'))?.['config'];
  const cloud = await told(client, '/cloud');
  return {
    tillnode: 1,
    savedAt: new Date().toISOString(),
    from: { deviceId, variant, firmwareVersion },
    settings: {
      '/config': Object.fromEntries(Object.entries(config).filter(([key]) => !NOT_SAVED.has(key))),
      ...(update && { '/update': update }),
      ...(isValues(camera) && { [CAMERA]: camera }),
      ...(cloud && { '/cloud': withoutCredentials(cloud, typeAnew, 'cloud.') }),
      ...(name && { '/name': { name } }),
    },
    typeAnew,
  };
}

/** What a restore needs of a file. */
export type Restorable = Pick<SavedSettings, 'settings' | 'typeAnew'>;

/** Undefined where the text is no JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text of a file as settings. Throws an Error that says what it is not. */
export function readSaved(text: string): Restorable {
  const found = text.length > MOST_CHARACTERS ? undefined : jsonIn(text);
  if (!isValues(found) || found['tillnode'] !== 1 || !isValues(found['settings']))
    throw new Error('this is no file of the settings of a node');
  const settings = Object.entries(found['settings']).map(([path, values]) => {
    if (!isValues(values)) throw new Error(`${path} in this file is broken`);
    return [path, values] as const;
  });
  const { typeAnew } = found;
  return { settings: Object.fromEntries(settings), typeAnew: Array.isArray(typeAnew) ? typeAnew.map(String) : [] };
}

/**
 * Tells a node these settings, but for keys that it does not have. Rejects with a NodeError where it refuses some; what it took
 * before is then as it was.
 */
export async function restore(client: NodeClient, { settings, typeAnew }: Restorable): Promise<Restored> {
  const leftOut: string[] = [];
  const before = (await backup(client)).settings;
  const has = (await told(client, '/config')) ?? {};
  const changed: (readonly [path: string, previous: Values])[] = [];
  for (const path of PATHS) {
    const saved = settings[path];
    if (saved === undefined) continue;
    const isTaken = (key: string) => path !== '/config' || (Object.hasOwn(has, key) && !NOT_SAVED.has(key));
    const taken = Object.entries(saved).filter(([key]) => isTaken(key));
    leftOut.push(...Object.keys(saved).filter((key) => !isTaken(key)));
    try {
      await client.request('PUT', path, Object.fromEntries(taken));
      const previous = Object.entries(before[path] ?? {}).filter(([key]) => taken.some(([name]) => name === key));
      changed.unshift([path, Object.fromEntries(previous)]);
    } catch (error) {
      if (path === '/config' || !isNotFor(error)) {
        for (const [where, previous] of changed) await client.request('PUT', where, previous).catch(() => {});
        throw error;
      }
      leftOut.push(path === CAMERA ? 'camera' : path.slice(1));
    }
  }
  return { leftOut, typeAnew };
}
