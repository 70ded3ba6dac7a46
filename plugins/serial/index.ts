/** The room of serial lines: adapters whose ids say nothing, what the operator says hangs on them, and the scales there. */
import { PROTOCOLS, SERIAL_SCALE_CODECS } from '../../codecs/serial-scales.ts';
import { openSerialLine, serialAdapter } from '../../runtime/bindings/serial/line.ts';
import { type UsbDevice, UsbError } from '../../runtime/bindings/usb.ts';
import { invalidConfig } from '../../runtime/kernel/config.ts';
import { derivedRecipe } from '../../runtime/kernel/derived.ts';
import type { Bound, Candidate, Refusal } from '../../runtime/kernel/device.ts';
import { ApiError } from '../../runtime/kernel/errors.ts';
import type { Node } from '../../runtime/kernel/node.ts';
import { definePlugin, routesOf } from '../../runtime/kernel/plugin.ts';
import { adaptersOn, adaptersView, assignedTo } from './assigned.ts';
import { MOST_LINES, SerialAdapters, type SerialAssignment, SerialConfig, SerialTried, SerialTry } from './contract.ts';
import { errors } from './errors.ts';
import { SerialScale } from './scale.ts';
import { tryProtocols } from './trial.ts';

/** Before the rooms that know devices by their ids and descriptors: what a person has said counts. */
const STAGE = -10;

interface Room {
  /** Adapters that nothing is assigned to, by their port. */
  readonly idle: Map<string, UsbDevice>;
  /** While protocols are tried. */
  trial: Promise<unknown> | undefined;
  readonly stopping: AbortController;
}
const route = routesOf<Room>();

export default definePlugin({
  name: 'serial',
  api: 2,
  requires: ['scale', 'settings'],
  codecs: SERIAL_SCALE_CODECS,
  errors,
  config: [
    {
      key: 'serial',
      schema: SerialConfig,
      default: {},
      check({ serial }) {
        if (Object.keys(serial).length > MOST_LINES)
          throw invalidConfig(`serial must have at most ${MOST_LINES} lines`);
        for (const [key, assignment] of Object.entries(serial)) {
          if (assignment?.unit !== undefined && PROTOCOLS[assignment.protocol].unitless !== true)
            throw invalidConfig(`serial ${JSON.stringify(key)}: unit is for toledo-8217, the others send theirs`);
        }
      },
      settle: (value) =>
        Object.fromEntries(Object.entries(value as Record<string, unknown>).filter(([, each]) => each !== null)),
    },
  ],
  routes: [
    route({
      method: 'GET',
      path: '/serial',
      tier: 'none',
      summary: 'the serial adapters, and what hangs on them',
      response: SerialAdapters,
      handle: ({ node }) => adaptersView(node),
    }),
    route({
      method: 'POST',
      path: '/serial/try',
      tier: 'admin',
      summary: 'try the protocols of scales on a serial adapter; sends text to whatever hangs on it',
      body: { schema: SerialTry, invalid: 'invalid_config' },
      response: SerialTried,
      errors: ['no_adapter', 'busy', 'invalid_config'],
      handle: ({ node, room, body: { port } }) => tryOn(node, room, port),
    }),
  ],
  room(node): Room {
    const { hooks, log } = node;
    const room: Room = { idle: new Map(), trial: undefined, stopping: new AbortController() };
    const assigned = (identity: UsbDevice['identity']) =>
      serialAdapter(identity) === undefined ? undefined : assignedTo(node.config.get('serial'), identity)?.assignment;

    hooks.classify.tap({ name: 'serial', stage: STAGE }, (identity) => assigned(identity)?.kind);
    // Nothing is sent: it may be a display, which would show it.
    hooks.probe.tapPromise({ name: 'serial', stage: STAGE }, async (device) => {
      if (serialAdapter(device.identity) !== undefined) room.idle.set(device.identity.port, device);
      return undefined;
    });
    hooks.unknown.tap('serial', (identity) => {
      const adapter = serialAdapter(identity);
      return adapter === undefined
        ? undefined
        : {
            reason: 'no_codec',
            detail: `serial adapter (${adapter}): \`serial\` of the configuration says what hangs on it`,
          };
    });
    hooks.bind.for('scale').tapPromise({ name: 'serial', stage: STAGE }, async (candidate) => {
      const assignment = assigned(candidate.device.identity);
      await room.trial;
      return assignment && bindScale(node, candidate, assignment);
    });
    hooks.configured.tap('serial', (change) => {
      if (change.key !== 'serial') return;
      for (const identity of adaptersOn(node)) {
        const [before, after] = [change.previous, change.value].map((each) => assignedTo(each, identity)?.assignment);
        if (JSON.stringify(before) === JSON.stringify(after)) continue;
        log.info({ port: identity.port, protocol: after?.protocol }, 'serial line assigned');
        node.lookAgain(identity.port);
      }
    });
    hooks.stop.tapPromise('serial', async () => {
      room.stopping.abort();
      await room.trial;
    });
    return room;
  },
});

async function bindScale(
  node: Node,
  { device, endpoint }: Candidate,
  { protocol: name, line: settings, unit }: SerialAssignment,
): Promise<Bound | Refusal> {
  const protocol = PROTOCOLS[name];
  const codec = SERIAL_SCALE_CODECS.find((each) => each.name === name);
  const line = await openSerialLine(device, { ...protocol.line, ...settings }, protocol.last);
  if (line === undefined || codec === undefined) return { reason: 'bad_descriptor', detail: 'no serial adapter' };
  return new SerialScale({
    ...{ line, protocol, unit, recipe: derivedRecipe(device.identity, codec) },
    onReading: ({ weight, unit, stable }) =>
      node.event({ type: 'scale_weight_changed', endpoint: endpoint.id, weight, unit, stable }),
  });
}

async function tryOn(node: Node, room: Room, port: string) {
  const device = room.idle.get(port);
  const present = adaptersOn(node).find((identity) => identity === device?.identity);
  if (device === undefined || present === undefined || assignedTo(node.config.get('serial'), present) !== undefined)
    throw new ApiError('no_adapter', `port: ${JSON.stringify(port)}`);
  if (room.trial !== undefined) throw new ApiError('busy', 'protocols are being tried');
  const trial = tryProtocols(device, room.stopping.signal);
  room.trial = trial.catch(() => {});
  try {
    return await trial;
  } catch (error) {
    if (error instanceof UsbError) throw new ApiError('no_adapter', error.message);
    throw error;
  } finally {
    await device.close();
    room.trial = undefined;
  }
}
