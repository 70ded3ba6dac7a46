/** Schemas of the boot log: the last runs, and the last crash (specification 2.12). */
import { type Static, Type } from '@sinclair/typebox';
import { closed, open } from '../../base/schema.ts';

const REASONS = ['power_on', 'restart', 'update', 'rollback', 'revert', 'crash', 'watchdog', 'out_of_memory'] as const;

const boot = {
  bootId: Type.String({ pattern: '^[0-9a-f]{8}$' }),
  slot: Type.Union([Type.Literal('a'), Type.Literal('b'), Type.Literal('factory')]),
  firmwareVersion: Type.String({ maxLength: 64 }),
  reason: Type.Union(
    REASONS.map((reason) => Type.Literal(reason)),
    { description: 'why it was started' },
  ),
  uptimeSeconds: Type.Integer({ minimum: 0, description: 'how long it ran; 0 if unknown' }),
  clean: Type.Boolean({ description: 'it was stopped in order; false while it runs' }),
};

const crash = {
  reason: Type.Union(
    ['uncaught_error', 'crash', 'watchdog', 'out_of_memory', 'rollback'].map((reason) => Type.Literal(reason)),
  ),
  firmwareVersion: Type.Optional(Type.String({ maxLength: 64, description: 'of the image; absent if unknown' })),
  bootId: Type.Optional(Type.String({ pattern: '^[0-9a-f]{8}$' })),
  uptimeSeconds: Type.Integer({ minimum: 0 }),
  time: Type.Optional(Type.String({ maxLength: 32, description: "the node's clock then, ISO 8601" })),
  name: Type.Optional(Type.String({ maxLength: 64 })),
  message: Type.Optional(Type.String({ maxLength: 200 })),
  stack: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 10 })),
  detail: Type.Optional(
    Type.String({ maxLength: 200, description: 'how the process ended, as the launcher observed it' }),
  ),
};

/** One run of the node. */
export const BootEntry = open(
  {
    ...boot,
    off: Type.Optional(
      Type.Array(Type.String(), { description: 'of the run that goes on: plugins that could not start, and are off' }),
    ),
  },
  { $id: 'BootEntry' },
);
export type BootEntry = Static<typeof BootEntry>;

/** How a run ended that was not stopped in order. */
export const CrashSummary = open(crash, { $id: 'CrashSummary' });
export type CrashSummary = Static<typeof CrashSummary>;

/** The response of GET /bootlog: runs, newest first. */
export const Bootlog = open(
  { boots: Type.Array(BootEntry, { maxItems: 16 }), crash: Type.Union([CrashSummary, Type.Null()]) },
  { $id: 'Bootlog' },
);

/** This room's part of the status. */
export const BootStatus = open(
  {
    boot: open({
      reason: boot.reason,
      crashes: Type.Integer({ minimum: 0, description: 'crashes in its last hour of run time' }),
      kept: Type.Boolean({ description: 'false: the storage cannot be written' }),
      superseded: Type.Optional(
        open(
          { slot: boot.slot, firmwareVersion: boot.firmwareVersion },
          { description: 'the image that was booted before this newer factory image' },
        ),
      ),
      system: Type.Optional(
        open(
          {
            slot: Type.Union([Type.Literal('a'), Type.Literal('b')], { description: 'the root that runs' }),
            failed: Type.Array(Type.String(), {
              maxItems: 1,
              description: 'version of the system that was tried last, if it was no good',
            }),
          },
          { description: 'of a disk that was made of an image: kernel and root' },
        ),
      ),
    }),
  },
  { $id: 'BootStatus' },
);

/** The stored log. A file that this schema refuses counts as an empty log. */
export const StoredBootlog = closed(
  {
    boots: Type.Array(closed(boot), { maxItems: 16 }),
    crash: Type.Union([closed(crash), Type.Null()]),
    /** Run time since the last printed notice, in seconds. */
    toldSeconds: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  { $id: 'StoredBootlog' },
);
export type StoredBootlog = Static<typeof StoredBootlog>;

/** What a process stored about its crash just before it ended. */
export const StoredCrash = closed(crash, { $id: 'StoredCrash' });

/** The response of both DELETE routes. */
export const BootlogCleared = open({ ok: Type.Literal(true) }, { $id: 'BootlogCleared' });

declare module '../../kernel/registry.ts' {
  interface StatusBlocks {
    bootlog: Static<typeof BootStatus>;
  }
}
