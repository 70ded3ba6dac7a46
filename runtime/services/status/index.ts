/** The room `status`: identity of the node, its endpoints and devices, rejections, and devices that no room drives. */

import { defined } from '../../base/defined.ts';
import type { EndpointState } from '../../kernel/device.ts';
import type { StatusDraft } from '../../kernel/hooks.ts';
import type { Rejection } from '../../kernel/ledger.ts';
import type { Node } from '../../kernel/node.ts';
import { definePlugin, route } from '../../kernel/plugin.ts';
import { NodeStatus, Peripherals, Status, UnknownDevices } from './contract.ts';
import { errors } from './errors.ts';
import { unknownDevices } from './unknown.ts';

const age = (at: number) => Math.max(0, Math.round(performance.now() - at));

export default definePlugin({
  name: 'status',
  api: 2,
  requires: ['settings'],
  status: NodeStatus,
  errors,
  routes: [
    route({
      method: 'GET',
      path: '/status',
      tier: 'none',
      summary: 'identity, printers, peripherals and their conditions',
      response: Status,
      async handle({ node }) {
        await node.keys.planted();
        return node.status();
      },
    }),
    route({
      method: 'GET',
      path: '/peripherals',
      tier: 'none',
      summary: 'declared endpoints',
      response: Peripherals,
      handle: ({ node }) => ({ peripherals: node.endpoints().map(peripheral) }),
    }),
    route({
      method: 'GET',
      path: '/devices/unknown',
      tier: 'none',
      summary: 'USB devices that no room drives, with a recipe row to complete',
      response: UnknownDevices,
      errors: ['record_alloc_failed', 'persist_failed'],
      handle: ({ node }) => ({ devices: unknownDevices(node) }),
    }),
  ],
  room(node) {
    node.hooks.telemetry.tap('status', (draft) => {
      draft['usb'] = node.status()['usb'];
    });
    // The first tap, so that the parts are in the order of the specification.
    node.hooks.status.tap({ name: 'status', stage: -100 }, (draft) => describe(node, draft));
  },
});

function describe(node: Node, draft: StatusDraft): void {
  const { deviceId, image, ledger, bindings } = node;
  const endpoints = node.endpoints();
  draft['identity'] = {
    deviceId,
    variant: image.variant,
    firmwareVersion: image.version,
    slot: bindings.boot.slot,
    endpoints: endpoints.map(({ declaration: { id, kind, transport } }) => ({ id, kind, transport })),
  };
  draft['online'] = true;
  draft['uptimeSeconds'] = Math.floor((performance.now() - node.startedAt) / 1000);
  draft['peripherals'] = endpoints.map(plugged);
  draft['rejections'] = ledger.rejections.map((each) => ({ ...rejected(each), connected: ledger.stands(each) }));
  draft['faults'] = node.rooms.faults.map(({ room, where, error, times, at }) => ({
    ...{ plugin: room, where, error, times },
    off: node.rooms.isOff(room),
    ageMs: age(at),
  }));
  draft['idempotency'] = { mark: node.keys.mark() };
  draft['usb'] = { channels: image.usbChannels, state: bindings.usb.state };
}

const peripheral = ({ declaration, condition }: EndpointState) => ({ ...declaration, condition });

function plugged({ declaration, condition, identity, recipe, since, reason, knownBy, replaces }: EndpointState) {
  return {
    endpoint: declaration.id,
    kind: declaration.kind,
    condition,
    ...(identity && {
      device: {
        vendorId: identity.vendorId,
        productId: identity.productId,
        make: identity.make,
        model: identity.model,
        ...(identity.serial && { serial: identity.serial }),
        port: identity.port,
      },
    }),
    ...(recipe && {
      recipe: {
        id: recipe.row.id,
        tier: recipe.tier,
        codec: recipe.row.codec,
        ...(recipe.disagreement && { disagreement: recipe.disagreement }),
      },
    }),
    ...(knownBy && { knownBy }),
    ...(replaces && { replaces }),
    ...(since !== undefined && { sinceMs: age(since) }),
    ...defined({ reason }),
  };
}

const rejected = ({ identity, kind, reason, detail, at }: Rejection) => ({
  vendorId: identity.vendorId,
  productId: identity.productId,
  make: identity.make,
  model: identity.model,
  class: kind,
  reason,
  ...defined({ detail }),
  ageMs: age(at),
});
