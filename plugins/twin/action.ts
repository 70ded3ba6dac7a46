/** POST /twin/action: does with a virtual device what it declares that a hand can do with it. */
import type { VirtualAction, VirtualArgument } from '../../runtime/bindings/virtual/device.ts';
import { ApiError } from '../../runtime/kernel/errors.ts';
import { route } from '../../runtime/kernel/plugin.ts';
import { TwinAct, TwinActed } from './contract.ts';

const refuse = (reason: string) => new ApiError('invalid_command', reason);
const oneOf = (names: Iterable<string>): string => [...names].join(', ') || 'none';

/** Body: the device by its name in GET /twin/devices, its action, and an argument in the place of the default. */
export const actionRoute = route({
  method: 'POST',
  path: '/twin/action',
  tier: 'none',
  summary: 'do something with a virtual device: insert a coin, press a key',
  body: { schema: TwinAct, invalid: 'invalid_command' },
  response: TwinActed,
  errors: ['invalid_command'],
  handle: async ({ node, body: { device: name, action, argument } }) => {
    const { bench } = node.bindings;
    if (bench === undefined) throw new Error('the twin room needs virtual bindings');
    const { devices, usb } = bench;
    const device = devices.get(name);
    if (device === undefined) throw refuse(`device: the twin has ${oneOf(devices.keys())}`);
    const found = new Map(Object.entries(device.actions)).get(action);
    if (found === undefined) throw refuse(`action: ${name} has ${oneOf(Object.keys(device.actions))}`);
    if (!usb.isPlugged(device)) throw refuse(`device: ${name} is not plugged in`);
    act(found, argument);
    // The bus reports the change to the node in the next microtask.
    await Promise.resolve();
    await node.settled();
    return { ok: true, ...('state' in device && { state: device.state }) };
  },
});

function act(action: VirtualAction, given: VirtualArgument | undefined): void {
  const { argument } = action;
  if (argument === undefined && given !== undefined) throw refuse('argument: this action takes none');
  if (argument !== undefined && given !== undefined && typeof given !== typeof argument.default)
    throw refuse(`argument: is a ${typeof argument.default}`);
  try {
    action.act(given ?? argument?.default);
  } catch (error) {
    if (error instanceof RangeError) throw refuse(`argument: ${error.message}`);
    throw error;
  }
}
