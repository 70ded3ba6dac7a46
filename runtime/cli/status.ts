/** `tillnode status`. */
import type { Status } from '../client/client.ts';
import type { CliCommand, CliContext } from './command.ts';
import { clean, json, paint, table, writeOut } from './terminal.ts';

const CONDITION = { bound: 'green', silent: 'yellow', gone: 'red', no_channel: 'red', never_seen: 'dim' } as const;

function described({ known, online, paperOut, paperLow, coverOpen, drawerOpen }: Status['printers'][number]): string {
  if (paperOut && !known) return paint('red', 'out of paper, else unknown');
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

/** Nothing if the receipts are as wide as the paper, or that is not known. */
const widthOf = ({ columns, layoutColumns }: Status['printers'][number]): string =>
  columns === undefined || layoutColumns === undefined || columns === layoutColumns
    ? ''
    : `\nThis printer has ${Number(columns)} columns, receipts are laid out in ${Number(layoutColumns)}: tillnode config printWidthCols ${Number(columns)}`;

/** Devices that are plugged in and not used, with the reason; nothing on a node that does not tell them. */
async function refusedOf({ client, signal }: CliContext): Promise<string[]> {
  const { devices = [] } = await client.unknownDevices({ signal });
  return devices
    .filter(({ state }) => state === 'refused' || state === 'unknown')
    .map(({ vendorId, productId, make, model, state, reason, detail }) =>
      clean(`${make} ${model} (${vendorId}:${productId}): ${reason ?? state}${detail ? `, ${detail}` : ''}`.trim()),
    );
}

/** Shows identity and uptime of the node, its endpoints and the status of each printer. */
export const status: CliCommand = {
  usage: '',
  summary: 'identity of the node, its devices, status of the printer',
  async run(context) {
    const answer = await context.client.status(context);
    if (context.json) return writeOut(json(answer));
    const { identity, uptimeSeconds, printers, peripherals } = answer;
    const { deviceId, name, variant, firmwareVersion, slot } = identity;
    const called = `node-${clean(deviceId)}`;
    writeOut(`${paint('bold', name === undefined ? called : `${clean(name)} (${called})`)} at ${context.url}`);
    writeOut(`${clean(variant)} ${clean(firmwareVersion)}, slot ${clean(slot)}, up ${Number(uptimeSeconds)} s\n`);
    const rows = peripherals.map((each) => [
      clean(each.endpoint),
      clean(each.kind),
      clean(each.condition),
      deviceOf(each),
    ]);
    const text = table(['endpoint', 'kind', 'condition', 'device'], rows);
    writeOut(
      text.replaceAll(/\b(bound|silent|gone|no_channel|never_seen)\b/g, (word) =>
        paint(CONDITION[word as 'bound'], word),
      ),
    );
    for (const printer of printers) writeOut(`\n${clean(printer.endpoint)}: ${described(printer)}${widthOf(printer)}`);
    const refused = await refusedOf(context);
    if (refused.length > 0) writeOut(`\nplugged in and not used:\n${refused.map((line) => `  ${line}`).join('\n')}`);
  },
};
