/** Who this node is, what is plugged in, what was refused and why, and what nobody knew. */

import { ensureDeviceId } from '../../kernel/device-id.ts';
import type { StatusDraft } from '../../kernel/hooks.ts';
import type { EndpointState } from '../../kernel/hotplug.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Rejection } from '../../kernel/ledger.ts';
import { definePlugin, route } from '../../kernel/plugin.ts';
import { NodeStatus, Peripherals, Status, UnknownDevices } from './contract.ts';
import { errors } from './errors.ts';
import { unknownDevices } from './unknown.ts';

const age = (at: number) => Math.max(0, Math.round(performance.now() - at));

export default definePlugin({
  name: 'status',
  api: 1,
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
      handle: ({ kernel }) => kernel.status(),
    }),
    route({
      method: 'GET',
      path: '/peripherals',
      tier: 'none',
      summary: 'declared endpoints',
      response: Peripherals,
      handle: ({ kernel }) => ({ peripherals: kernel.hotplug.states().map(peripheral) }),
    }),
    route({
      method: 'GET',
      path: '/devices/unknown',
      tier: 'none',
      summary: 'USB devices nothing here drives, with a recipe row to complete',
      response: UnknownDevices,
      errors: ['record_alloc_failed', 'persist_failed'],
      handle: ({ kernel }) => ({ devices: unknownDevices(kernel) }),
    }),
  ],
  apply(kernel) {
    let deviceId = '';
    kernel.hooks.start.tapPromise('status', async () => {
      deviceId = await ensureDeviceId(kernel.settings);
    });
    // First of the taps, so that the order of the parts is the specification's.
    kernel.hooks.status.tap({ name: 'status', stage: -100 }, (draft) => describe(kernel, deviceId, draft));
  },
});

function describe(kernel: Kernel, deviceId: string, draft: StatusDraft): void {
  const { image, composition, hotplug, ledger, bindings } = kernel;
  draft['identity'] = {
    deviceId,
    variant: image.variant,
    firmwareVersion: image.version,
    slot: bindings.boot.slot,
    endpoints: [...composition.endpoints.values()].map(({ id, kind, transport }) => ({ id, kind, transport })),
  };
  draft['online'] = true;
  draft['uptimeSeconds'] = Math.floor((performance.now() - kernel.startedAt) / 1000);
  draft['printers'] = [];
  draft['peripherals'] = hotplug.states().map(plugged);
  draft['rejections'] = ledger.rejections.map(rejected);
  draft['usb'] = { channels: image.usbChannels, state: bindings.usb.state };
}

const peripheral = ({ declaration, condition }: EndpointState) => ({ ...declaration, condition });

function plugged({ declaration, condition, identity, recipe, since, reason }: EndpointState) {
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
    ...(since !== undefined && { sinceMs: age(since) }),
    ...(reason !== undefined && { reason }),
  };
}

const rejected = ({ identity, kind, reason, detail, at }: Rejection) => ({
  vendorId: identity.vendorId,
  productId: identity.productId,
  make: identity.make,
  model: identity.model,
  class: kind,
  reason,
  ...(detail !== undefined && { detail }),
  ageMs: age(at),
});
