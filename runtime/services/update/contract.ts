/** Schemas of POST /update, PUT /update and POST /restart (specification 3.2, 5.10 and 5.11). */
import { type Static, Type } from '@sinclair/typebox';
import { closed, open } from '../../base/schema.ts';

/** What the node does by itself. */
export const UpdatePolicy = Type.Union([Type.Literal('off'), Type.Literal('check'), Type.Literal('auto')], {
  description: 'what the node does by itself: nothing, check for a newer image, or check and install it',
});

/** The body of PUT /update. */
export const UpdateRequest = closed(
  {
    check: Type.Optional(Type.Boolean({ description: 'check for a newer image now' })),
    apply: Type.Optional(Type.Boolean({ description: 'check for a newer image, and install it' })),
    enabled: Type.Optional(Type.Boolean({ description: 'the local switch for updates from the cloud' })),
    policy: Type.Optional(UpdatePolicy),
    /** Length and characters are checked by a rule, not by the schema: a missing credential is reported first. */
    updateKey: Type.Optional(
      Type.String({ description: '16 to 128 visible ASCII characters, or "" to clear; write-only' }),
    ),
    boot: Type.Optional(Type.Literal('factory', { description: 'boot the factory image' })),
  },
  { $id: 'UpdateRequest', examples: [{ policy: 'check' }] },
);
export type UpdateRequest = Static<typeof UpdateRequest>;

/** The response of PUT /update. */
export const UpdateStored = open(
  {
    ok: Type.Literal(true),
    enabled: Type.Boolean(),
    policy: UpdatePolicy,
    updateKeySet: Type.Boolean(),
    available: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: 'version of the newer image, null if there is none' }),
    ),
    boot: Type.Optional(Type.Literal('factory')),
  },
  { $id: 'UpdateStored' },
);

const field = (description: string, options: object = {}) => Type.String({ ...options, description });

/** Header fields of POST /update. */
export const UploadHeaders = open({
  'Content-Length': field('bytes of the image', { pattern: '^[0-9]+$' }),
  'X-NODE-Image-Sha256': field('SHA-256 of the image, in hexadecimal digits', { pattern: '^[0-9A-Fa-f]{64}$' }),
  'X-NODE-Allow-Variant-Change': Type.Optional(field('1 accepts an image for other hardware')),
});

/** The response of POST /update. */
export const UpdateInstalled = open(
  {
    ok: Type.Literal(true),
    version: Type.String({ description: 'of the installed image, with which the node restarts' }),
    variant: Type.String(),
  },
  { $id: 'UpdateInstalled' },
);

/** The body of POST /restart. */
export const RestartCommand = closed(
  { type: Type.Literal('restart'), id: Type.String({ minLength: 1, maxLength: 128 }) },
  { $id: 'RestartCommand', examples: [{ type: 'restart', id: '1' }] },
);

/** The response of POST /restart. */
export const Restarting = open(
  {
    ok: Type.Literal(true),
    inMs: Type.Integer({
      minimum: 0,
      description: 'least time until the node starts to stop; jobs that are under way may go on for 30 s',
    }),
  },
  { $id: 'Restarting' },
);
