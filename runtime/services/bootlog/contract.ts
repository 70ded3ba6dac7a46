/** The boot log: the last starts, and how the last one ended that did not end well (specification 2.12). */
import { type Static, Type } from '@sinclair/typebox';
import { closed, open } from '../../kernel/schema.ts';

const REASONS = ['power_on', 'restart', 'update', 'rollback', 'revert', 'crash', 'watchdog', 'out_of_memory'] as const;

const boot = {
  bootId: Type.String({ pattern: '^[0-9a-f]{8}$' }),
  slot: Type.Union([Type.Literal('a'), Type.Literal('b'), Type.Literal('factory')]),
  firmwareVersion: Type.String({ maxLength: 64 }),
  reason: Type.Union(
    REASONS.map((reason) => Type.Literal(reason)),
    { description: 'why it was started' },
  ),
  uptimeSeconds: Type.Integer({ minimum: 0, description: 'how long it ran, as far as that is known' }),
  clean: Type.Boolean({ description: 'it was ended in order; false while it runs' }),
};

const crash = {
  reason: Type.Union(
    ['uncaught_error', 'crash', 'watchdog', 'out_of_memory', 'rollback'].map((reason) => Type.Literal(reason)),
  ),
  firmwareVersion: Type.Optional(Type.String({ maxLength: 64, description: 'of the image, where that is known' })),
  bootId: Type.Optional(Type.String({ pattern: '^[0-9a-f]{8}$' })),
  uptimeSeconds: Type.Integer({ minimum: 0 }),
  time: Type.Optional(Type.String({ maxLength: 32, description: "the node's clock then, ISO 8601" })),
  name: Type.Optional(Type.String({ maxLength: 64 })),
  message: Type.Optional(Type.String({ maxLength: 200 })),
  stack: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 10 })),
  detail: Type.Optional(Type.String({ maxLength: 200, description: 'how the process ended, as its launcher saw it' })),
};

export const BootEntry = open(boot, { $id: 'BootEntry' });
export type BootEntry = Static<typeof BootEntry>;

export const CrashSummary = open(crash, { $id: 'CrashSummary' });
export type CrashSummary = Static<typeof CrashSummary>;

export const Bootlog = open(
  { boots: Type.Array(BootEntry, { maxItems: 16 }), crash: Type.Union([CrashSummary, Type.Null()]) },
  { $id: 'Bootlog' },
);

/** This room's part of the status. */
export const BootStatus = open(
  {
    boot: open({
      reason: boot.reason,
      crashes: Type.Integer({ minimum: 0, description: 'ends that were none in order in its last hour of running' }),
      kept: Type.Boolean({ description: 'false: the storage takes nothing, and nothing new can be kept' }),
      superseded: Type.Optional(
        open(
          { slot: boot.slot, firmwareVersion: boot.firmwareVersion },
          { description: 'what was booted until this factory image came, which is newer' },
        ),
      ),
    }),
  },
  { $id: 'BootStatus' },
);

/** As it is kept; whatever does not have this shape is an empty log. */
export const StoredBootlog = closed(
  {
    boots: Type.Array(closed(boot), { maxItems: 16 }),
    crash: Type.Union([closed(crash), Type.Null()]),
    /** Seconds that the node has run since a slip said that it crashes. */
    toldSeconds: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  { $id: 'StoredBootlog' },
);
export type StoredBootlog = Static<typeof StoredBootlog>;

/** What a process stored about its crash just before it ended. */
export const StoredCrash = closed(crash, { $id: 'StoredCrash' });

export const BootlogCleared = open({ ok: Type.Literal(true) }, { $id: 'BootlogCleared' });

declare module '../../kernel/registry.ts' {
  interface StatusBlocks {
    bootlog: Static<typeof BootStatus>;
  }
}
