/** The node's identity for software that discovers printers by model (specification 1 and 2.6). */
import { type Static, Type } from '@sinclair/typebox';
import type { SyncHook } from 'tapable';
import profiles from '../../../recipes/profiles.json' with { type: 'json' };
import { closed, open, utf8 } from '../../base/schema.ts';

const Name = utf8(63, { minLength: 1 });

/** A row of recipes/profiles.json: TXT values (Bonjour Printing Specification 1.2.1, 9.2) and a service instance name. */
export const ProfileRow = closed({
  make: Name,
  model: Name,
  ty: Type.Optional(Name),
  product: Type.Optional(Name),
  pdl: Type.Optional(Name),
  instance: Type.Optional(utf8(49, { minLength: 1, description: 'in front of node-<id>; ty where it is left out' })),
});
export type ProfileRow = Static<typeof ProfileRow>;

export const Profile = Type.Union([...Object.keys(profiles), 'custom'].map((name) => Type.Literal(name)));

/** The values of the compatibility profile `custom`. */
export const CustomProfile = closed({
  make: Type.Optional(Name),
  model: Type.Optional(Name),
  ty: Type.Optional(Name),
  product: Type.Optional(Name),
  pdl: Type.Optional(Name),
});
export type CustomProfile = Static<typeof CustomProfile>;

/** What this room adds to GET /status. */
export const DiscoveryPart = open({
  discovery: open(
    {
      state: Type.Union(
        (['probing', 'announced', 'renamed', 'off'] as const).map((state) => Type.Literal(state)),
        {
          description: 'renamed: announced, under another name than its own; off: there is no link to be found on',
        },
      ),
      name: Type.String({ description: 'host name, with .local' }),
      instance: Type.Optional(Type.String({ description: 'name of its services' })),
      printers: Type.Optional(
        Type.Array(open({ endpoint: Type.String(), instance: Type.String(), port: Type.Integer() }), {
          description: 'where the image has several printers: those that are announced, each under its own name',
        }),
      ),
      since: Type.Integer({ description: 'ms that this has been so' }),
    },
    { $id: 'DiscoveryStatus' },
  ),
});
export type DiscoveryStatus = Static<typeof DiscoveryPart>['discovery'];

/** A service of a printer, besides that of its raw port. */
export interface PrinterService {
  /** For example `_ipp._tcp`. */
  readonly type: string;
  /** RFC 6763, 7.1, for example `_print`. */
  readonly subtypes: readonly string[];
  readonly port: number;
  /** In place of, and behind, the keys that all services of a printer have. */
  readonly txt: Readonly<Record<string, string>>;
}

/** What this room offers to others. */
export interface DiscoveryOffer {
  /** Asks for the services of the printer at an endpoint: each tap adds its own. `hooks.presence` says that they changed. */
  readonly services: SyncHook<[PrinterService[], string]>;
  /**
   * Tells of an address that another host claims for the host name of this node, or (`isThere` false) takes leave of: each time
   * that it says so. Anybody can forge it.
   */
  readonly doubled: SyncHook<[string, boolean]>;
  /** The instance name of its services; undefined where none is announced. */
  instanceOf(endpoint: string): string | undefined;
  /** Make and model of the profile; undefined for that of no maker. */
  modelOf(): Pick<ProfileRow, 'make' | 'model'> | undefined;
}

declare module '../../kernel/registry.ts' {
  interface Offers {
    discovery: DiscoveryOffer;
  }
  interface ConfigKeys {
    profile: string;
    customProfile: CustomProfile;
  }
  interface StatusBlocks {
    discovery: Static<typeof DiscoveryPart>;
  }
}
