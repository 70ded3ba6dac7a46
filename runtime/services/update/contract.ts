/** Firmware: what POST /update answers, and what PUT /update takes (specification 3.2, 5.10 and 5.11). */
import { type Static, Type } from '@sinclair/typebox';
import { closed, open } from '../../kernel/schema.ts';

export const UpdatePolicy = Type.Union([Type.Literal('off'), Type.Literal('check'), Type.Literal('auto')], {
  description: 'what the node does unasked: nothing, look for a newer image, or look and install it',
});

export const UpdateRequest = closed(
  {
    check: Type.Optional(Type.Boolean({ description: 'look for a newer image now' })),
    apply: Type.Optional(Type.Boolean({ description: 'look for one, and install it' })),
    enabled: Type.Optional(Type.Boolean({ description: 'the local kill switch: off, nothing is looked for' })),
    policy: Type.Optional(UpdatePolicy),
    /** Length and characters are a rule, not a shape: a missing credential is answered before either. */
    updateKey: Type.Optional(
      Type.String({ description: '16 to 128 visible ASCII characters, or "" to clear; write only' }),
    ),
    boot: Type.Optional(Type.Literal('factory', { description: 'boot the factory image' })),
  },
  { $id: 'UpdateRequest' },
);
export type UpdateRequest = Static<typeof UpdateRequest>;

export const UpdateStored = open(
  {
    ok: Type.Literal(true),
    enabled: Type.Boolean(),
    policy: UpdatePolicy,
    updateKeySet: Type.Boolean(),
    available: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: 'version of the newer image, null where there is none' }),
    ),
    boot: Type.Optional(Type.Literal('factory')),
  },
  { $id: 'UpdateStored' },
);

const field = (description: string, options: object = {}) => Type.String({ ...options, description });

/** Fields of POST /update. */
export const UploadHeaders = open({
  'Content-Length': field('bytes of the image', { pattern: '^[0-9]+$' }),
  'X-NODE-Image-Sha256': field('SHA-256 of the image, in hexadecimal digits', { pattern: '^[0-9A-Fa-f]{64}$' }),
  'X-NODE-Allow-Variant-Change': Type.Optional(field('1 takes an image for other hardware')),
});

export const UpdateInstalled = open(
  {
    ok: Type.Literal(true),
    version: Type.String({ description: 'of the image that the node restarts onto' }),
    variant: Type.String(),
  },
  { $id: 'UpdateInstalled' },
);

export const RestartCommand = closed(
  { type: Type.Literal('restart'), id: Type.String({ minLength: 1, maxLength: 128 }) },
  { $id: 'RestartCommand' },
);

export const Restarting = open(
  { ok: Type.Literal(true), inMs: Type.Integer({ minimum: 0, description: 'until the node begins to stop' }) },
  { $id: 'Restarting' },
);
