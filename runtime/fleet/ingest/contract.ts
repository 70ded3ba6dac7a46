/** Schemas of what nodes send to the fleet. What they get is in the contracts of the rooms that ask for it. */
import { type Static, Type } from '@sinclair/typebox';
import { open } from '../../base/schema.ts';
import { WebhookMessage } from '../../http/contract.ts';
import { HeartbeatMessage } from '../../services/cloud/contract.ts';
import { NodeId } from '../http/contract.ts';

const Short = Type.String({ maxLength: 64 });
const { properties: sent } = HeartbeatMessage;

/** The body of POST /heartbeat: what `HeartbeatMessage` says, of which a node of another version may lack a part. */
export const Heartbeat = open(
  {
    node: NodeId,
    seq: sent.seq,
    bootId: Type.Optional(Short),
    uptimeSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 0xffff_ffff })),
    variant: Type.Optional(Short),
    firmwareVersion: Type.Optional(Short),
    slot: Type.Optional(Short),
    peripherals: Type.Optional(sent.peripherals),
    printers: Type.Optional(
      Type.Array(
        open({
          endpoint: Type.Optional(Short),
          known: Type.Optional(Type.Boolean()),
          online: Type.Optional(Type.Boolean()),
          paperOut: Type.Optional(Type.Boolean()),
          paperLow: Type.Optional(Type.Boolean()),
          coverOpen: Type.Optional(Type.Boolean()),
        }),
        { maxItems: 64 },
      ),
    ),
    name: Type.Optional(Short),
    codecs: Type.Optional(Type.Array(Short, { maxItems: 64 })),
    counters: Type.Optional(open({})),
    crash: Type.Optional(
      open({
        bootId: Type.Optional(Short),
        reason: Short,
        time: Type.Optional(Short),
        uptimeSeconds: Type.Optional(Type.Integer()),
      }),
    ),
    duplicate: Type.Optional(Type.Boolean()),
    custodyHold: Type.Optional(Type.Boolean()),
    updatePolicy: Type.Optional(Short),
  },
  { $id: 'Heartbeat' },
);
export type Heartbeat = Static<typeof Heartbeat>;

/** The body of POST /events. */
export const Webhook = open(
  {
    node: NodeId,
    seq: WebhookMessage.properties.seq,
    uptimeMs: WebhookMessage.properties.uptimeMs,
    event: WebhookMessage.properties.event,
  },
  { $id: 'Webhook' },
);
export type Webhook = Static<typeof Webhook>;
