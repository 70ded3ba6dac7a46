/** `tillnode status`. */
import type { Status } from '../client/client.ts';
import type { Command } from './command.ts';
import { clean, json, paint, say, table } from './terminal.ts';

const CONDITION = { bound: 'green', silent: 'yellow', gone: 'red', no_channel: 'red', never_seen: 'dim' } as const;

function described({ known, online, paperOut, paperLow, coverOpen, drawerOpen }: Status['printers'][number]): string {
  if (!online) return paint('red', 'offline');
  if (!known) return paint('yellow', 'online, status unknown');
  const paper = paperOut ? paint('red', 'out of paper') : paperLow ? paint('yellow', 'paper low') : 'paper ok';
  const cover = coverOpen ? paint('red', 'cover open') : 'cover closed';
  return `online, ${paper}, ${cover}, drawer ${drawerOpen ? 'open' : 'closed'}`;
}

function deviceOf({ device, reason }: Status['peripherals'][number]): string {
  if (device === undefined) return clean(reason);
  return clean(`${device.make} ${device.model}`.trim() || `${device.vendorId}:${device.productId}`);
}

/** Shows identity and uptime of the node, its endpoints and the status of each printer. */
export const status: Command = {
  usage: '',
  summary: 'identity of the node, its devices, status of the printer',
  async run(context) {
    const answer = await context.client.status(context);
    if (context.json) return say(json(answer));
    const { identity, uptimeSeconds, printers, peripherals } = answer;
    const { deviceId, variant, firmwareVersion, slot } = identity;
    say(`${paint('bold', `node-${clean(deviceId)}`)} at ${context.url}`);
    say(`${clean(variant)} ${clean(firmwareVersion)}, slot ${clean(slot)}, up ${Number(uptimeSeconds)} s\n`);
    const rows = peripherals.map((each) => [
      clean(each.endpoint),
      clean(each.kind),
      clean(each.condition),
      deviceOf(each),
    ]);
    const text = table(['endpoint', 'kind', 'condition', 'device'], rows);
    say(
      text.replaceAll(/\b(bound|silent|gone|no_channel|never_seen)\b/g, (word) =>
        paint(CONDITION[word as 'bound'], word),
      ),
    );
    for (const printer of printers) say(`\n${clean(printer.endpoint)}: ${described(printer)}`);
  },
};
