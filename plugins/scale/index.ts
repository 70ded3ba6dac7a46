/** The scale room: GET /scale, the same data in GET /status, and an event for each change of weight. */
import { hidScale } from '../../codecs/hid-scale.ts';
import { CDC_DATA_CLASS } from '../../runtime/bindings/serial/acm.ts';
import { VENDOR_CLASS } from '../../runtime/bindings/serial/adapter.ts';
import { HID_CLASS } from '../../runtime/bindings/usb-hid.ts';
import type { Node } from '../../runtime/kernel/node.ts';
import { definePlugin, route } from '../../runtime/kernel/plugin.ts';
import { bind, classify, probe } from './bind.ts';
import { ScaleBlock, type ScaleStatus, ScaleStatusPart, ScaleWeightChanged } from './contract.ts';

const ENDPOINT = 'scale';

export default definePlugin({
  name: 'scale',
  api: 2,
  endpoints: [{ id: ENDPOINT, kind: 'scale', transport: 'usb', capabilities: ['weigh'] }],
  codecs: [hidScale],
  // The pipes of a serial line have a class of their own, or none.
  channels: { classes: [HID_CLASS, CDC_DATA_CLASS, VENDOR_CLASS], types: ['interrupt', 'bulk'] },
  status: ScaleStatusPart,
  events: { scale_weight_changed: { schema: ScaleWeightChanged, webhook: true } },
  routes: [
    route({
      method: 'GET',
      path: '/scale',
      tier: 'none',
      summary: 'what the scale weighs, or why there is no weight',
      response: ScaleBlock,
      handle: ({ node }) => blockOf(node),
    }),
  ],
  room(node) {
    const { hooks } = node;
    hooks.classify.tap('scale', classify);
    hooks.probe.tapPromise('scale', probe);
    hooks.bind.for('scale').tapPromise('scale', (candidate) =>
      bind(candidate, node.recipes, ({ weight, unit, stable }) => {
        node.event({ type: 'scale_weight_changed', endpoint: candidate.endpoint.id, weight, unit, stable });
      }),
    );
    for (const told of [hooks.status, hooks.telemetry]) {
      told.tap('scale', (draft) => {
        draft['scale'] = blockOf(node);
      });
    }
  },
});

function blockOf(node: Node): ScaleStatus {
  const state = node.endpoint(ENDPOINT);
  const scale = node.bound('scale', ENDPOINT);
  if (scale === undefined) {
    const ageMs = state?.since === undefined ? null : Math.round(performance.now() - state.since);
    return without(state?.condition === 'no_channel' ? 'refused' : 'absent', ageMs);
  }
  const { asleep, reading, ageMs = null } = scale;
  if (asleep || reading === undefined) return without(asleep ? 'asleep' : 'reading', ageMs);
  const { weight, unit, stable, fault } = reading;
  return { endpoint: ENDPOINT, status: 'reading', weight, unit, stable, ...(fault !== null && { fault }), ageMs };
}

/** The block of a scale without a weight; `status` says why. */
const without = (status: ScaleStatus['status'], ageMs: number | null): ScaleStatus => ({
  endpoint: ENDPOINT,
  status,
  weight: null,
  unit: null,
  stable: false,
  ageMs,
});
