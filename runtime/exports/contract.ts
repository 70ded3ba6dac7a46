/**
 * The contract of the LAN API for whoever speaks it in TypeScript: every room's shapes, as JSON Schema and as types.
 * Where a language has no TypeScript, `openapi.json` beside an image says the same.
 */
import type { Static } from '@sinclair/typebox';
import type * as Hub from '../../plugins/hub/contract.ts';
import type * as Printer from '../../plugins/printer/contract.ts';
import type * as Scale from '../../plugins/scale/contract.ts';
import type * as Bootlog from '../services/bootlog/contract.ts';
import type * as Peers from '../services/peers/contract.ts';
import type * as NodeStatus from '../services/status/contract.ts';
import type * as Webhook from '../services/webhook/contract.ts';

export * as camera from '../../plugins/camera/contract.ts';
export * as hub from '../../plugins/hub/contract.ts';
export * as printer from '../../plugins/printer/contract.ts';
export * as scale from '../../plugins/scale/contract.ts';
export * as scanner from '../../plugins/scanner/contract.ts';
export * as bootlog from '../services/bootlog/contract.ts';
export * as capture from '../services/capture/contract.ts';
export * as cloud from '../services/cloud/contract.ts';
export * as compose from '../services/compose/contract.ts';
export * as discovery from '../services/discovery/contract.ts';
export * as events from '../services/events/contract.ts';
export * as network from '../services/network/contract.ts';
export * as peers from '../services/peers/contract.ts';
export * as settings from '../services/settings/contract.ts';
export * as status from '../services/status/contract.ts';
export * as update from '../services/update/contract.ts';
export * as webhook from '../services/webhook/contract.ts';

/** GET /status: what all rooms write into it. */
export type Status = Static<typeof NodeStatus.NodeStatus> &
  Static<typeof Bootlog.BootStatus> &
  Static<typeof Peers.NamedStatus> &
  Static<typeof Printer.PrintersStatus> &
  Static<typeof Webhook.WebhookPart> &
  Static<typeof Scale.ScaleStatusPart> &
  Static<typeof Hub.HubsStatus>;
