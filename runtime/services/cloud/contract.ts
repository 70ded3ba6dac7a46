/**
 * Schemas of this room: its settings, what it sends to a cloud and what it accepts from it (specification 2.12, 6.1).
 */
import { type Static, Type } from '@sinclair/typebox';
import { closed, open, utf8 } from '../../base/schema.ts';
import { HEADER_BYTES, MAX_SYSTEM_BYTES, SIGNATURE_BYTES } from '../../image/format.ts';

const Url = (description: string) => Type.Optional(utf8(199, { description }));
const seconds = { minimum: 10, maximum: 86_400, description: 'interval of heartbeats' };

/** The body of PUT /cloud: fields that are left out stay as they are. */
export const CloudPatch = closed(
  {
    url: Url('http or https, without query or fragment; "" for none'),
    heartbeatUrl: Url('receiver of heartbeats; "" for url/heartbeat'),
    token: Type.Optional(
      Type.String({ pattern: '^[!-~]{0,256}$', description: 'bearer token of every request, "" for none; write-only' }),
    ),
    heartbeatSeconds: Type.Optional(Type.Integer(seconds)),
  },
  { $id: 'CloudPatch', examples: [{ heartbeatSeconds: 600 }] },
);
export type CloudPatch = Static<typeof CloudPatch>;

/** Settings section `cloud`. */
export interface CloudSettings {
  /** '' for none. */
  readonly url: string;
  readonly heartbeatUrl: string;
  readonly token: string;
  readonly heartbeatSeconds: number;
}

const view = {
  url: Type.String(),
  heartbeatUrl: Type.String(),
  tokenSet: Type.Boolean(),
  heartbeatSeconds: Type.Integer(seconds),
};
/** The response of GET /cloud. */
export const CloudView = open(view, { $id: 'CloudView' });
/** The response of PUT /cloud. */
export const CloudStored = open({ ok: Type.Literal(true), ...view }, { $id: 'CloudStored' });

const Count = Type.Integer({ minimum: 0 });
const counted = {
  prints: Type.Integer({
    minimum: 0,
    description: 'receipts that a printer accepted, of print commands and of port 9100',
  }),
  printsFailed: Type.Integer({ minimum: 0, description: 'print commands that failed' }),
  kicks: Type.Integer({ minimum: 0, description: 'drawer kicks that a printer accepted' }),
  scans: Type.Integer({ minimum: 0, description: 'reads that were accepted' }),
};

/** The body of a heartbeat. */
export const HeartbeatMessage = open(
  {
    node: Type.String({ description: 'device id' }),
    seq: Type.Integer({ minimum: 0, maximum: 0xffff_ffff, description: 'counts since boot, wraps after 32 bits' }),
    bootId: Type.Optional(Type.String({ description: 'of this run, as in GET /bootlog' })),
    uptimeSeconds: Type.Integer(),
    name: Type.Optional(Type.String({ description: 'as PUT /name set it' })),
    variant: Type.String(),
    firmwareVersion: Type.String(),
    slot: Type.String(),
    peripherals: Type.Array(open({ endpoint: Type.String(), kind: Type.String(), condition: Type.String() })),
    printers: Type.Array(open({}), { description: 'as in GET /status' }),
    codecs: Type.Array(Type.String(), { description: 'what a recipe row may name on this node' }),
    counters: open({ ...counted, webhookDropped: Count }, { description: 'since boot' }),
    duplicate: Type.Optional(Type.Boolean({ description: 'present while others with its device id are heard' })),
    custodyHold: Type.Optional(Type.Boolean({ description: 'present while custody is not attested' })),
    updatePolicy: Type.Optional(
      Type.String({ description: 'off, check or auto; absent where the image installs no updates' }),
    ),
    crash: Type.Optional(
      open(
        {
          bootId: Type.Optional(Type.String()),
          reason: Type.String(),
          time: Type.Optional(Type.String({ description: "the node's clock then, ISO 8601" })),
          uptimeSeconds: Type.Integer(),
        },
        { description: 'the last one, until it is cleared; as in GET /bootlog' },
      ),
    ),
  },
  { $id: 'HeartbeatMessage' },
);
export type HeartbeatMessage = Static<typeof HeartbeatMessage>;

/** The event of a heartbeat; `status` is the HTTP status, -1 without a response. */
export const HeartbeatEvent = open(
  { type: Type.Literal('heartbeat'), seq: Type.Integer(), status: Type.Integer() },
  { $id: 'HeartbeatEvent' },
);

/** The response of `url/recipes`. Each row is then checked as a recipe row. */
export const RecipeDocument = open(
  { rows: Type.Array(Type.Unknown(), { maxItems: 20_000 }) },
  { $id: 'RecipeDocument' },
);
export type RecipeDocument = Static<typeof RecipeDocument>;

/** This room's part of the status. */
export const CloudPart = open(
  {
    cloud: open({
      recipes: open(
        {
          taken: Type.Integer({ minimum: 0, description: 'rows that are in use' }),
          refused: Type.Integer({ minimum: 0, description: 'rows that are not used, as they are invalid' }),
          faults: Type.Array(
            open({
              index: Type.Integer({ minimum: 0, description: 'of the row in the table, from 0' }),
              id: Type.Optional(Type.String()),
              reason: Type.String({ description: 'starts with the name of the invalid field' }),
            }),
            { maxItems: 16, description: 'the first refused rows' },
          ),
          fault: Type.Optional(
            Type.String({ maxLength: 200, description: 'why the last fetch failed; absent if it did not' }),
          ),
        },
        { description: 'the recipe table of the cloud; zero rows if there is none' },
      ),
    }),
  },
  { $id: 'CloudPart' },
);
export type CloudPart = Static<typeof CloudPart>;

/** The response of `url/firmware?variant=&version=&node=`: the newest image for that variant. */
export const FirmwareOffer = open(
  {
    version: Type.String({ pattern: '^\\d{1,9}\\.\\d{1,9}\\.\\d{1,9}$', description: 'without pre-release' }),
    length: Type.Integer({
      minimum: HEADER_BYTES + SIGNATURE_BYTES,
      maximum: MAX_SYSTEM_BYTES,
      description: 'bytes',
    }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    url: Type.String({
      minLength: 1,
      maxLength: 1024,
      description:
        'URL of the image; of another origin only where X-NODE-Signature of this response is sha256=<HMAC-SHA256 of its body with the token>',
    }),
  },
  { $id: 'FirmwareOffer' },
);
export type FirmwareOffer = Static<typeof FirmwareOffer>;

declare module '../../kernel/registry.ts' {
  interface StoredSettings {
    cloud: Partial<CloudSettings>;
  }
  interface NodeEvents {
    heartbeat: Static<typeof HeartbeatEvent>;
  }
}
