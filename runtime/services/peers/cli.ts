/** `tillnode name [NAME]`, `tillnode identity [new]` and `tillnode find`. */
import { setTimeout as delay } from 'node:timers/promises';
import { NodeBeacon as validate } from 'virtual:validators';
import { createLinks } from '../../bindings/native/links.ts';
import type { CliCommand } from '../../cli/command.ts';
import { clean, json, table, writeOut } from '../../cli/terminal.ts';
import { silentLogger } from '../../kernel/log.ts';
import { Beacon } from './beacon.ts';
import type { NodeBeacon } from './contract.ts';
import { sentencesAbout, withReach } from './reach.ts';

/** Longer than the interval of beacons: every node has sent one within this time. */
const SECONDS = 6;

const name: CliCommand = {
  usage: '[NAME]',
  summary: 'the name of the node, or gives it one',
  positionals: [0, 1],
  async run(context, [wanted]) {
    const { client } = context;
    const given =
      wanted === undefined ? (await client.status(context)).identity.name : (await client.rename(wanted, context)).name;
    writeOut(context.json ? json({ name: given ?? null }) : clean(given ?? 'it has no name'));
  },
};

const identity: CliCommand = {
  usage: '[new]',
  summary: 'the device id, and who else has it; new: another one from the next start on, where its storage was copied',
  positionals: [0, 1],
  async run(context, [word]) {
    const { client } = context;
    if (word !== undefined && word !== 'new') throw new Error(`identity takes the word new, not ${clean(word)}`);
    if (word === 'new') {
      const renewed = await client.renewIdentity(context);
      return writeOut(context.json ? json(renewed) : `from the next start it is node-${renewed.deviceId}`);
    }
    const { deviceId, duplicate, pendingDeviceId } = (await client.status(context)).identity;
    if (context.json) return writeOut(json({ deviceId, duplicate, pendingDeviceId }));
    writeOut(deviceId);
    if (pendingDeviceId !== undefined) writeOut(`from the next start it is node-${pendingDeviceId}`);
    if (duplicate !== undefined) writeOut(`other devices have it, too: ${duplicate.addresses.map(clean).join(', ')}`);
  },
};

/** Lists the nodes on the local network, by their beacons (UDP 9101, every 5 s). */
const find: CliCommand = {
  usage: '',
  summary: `nodes on the local network, whether they are reached, and their IPP printers; listens for ${SECONDS} seconds, or --timeout`,
  async run(context) {
    const faults: string[] = [];
    const beacon = new Beacon({
      links: createLinks().list,
      announce: () => undefined,
      isBeacon: (value): value is NodeBeacon => validate(value),
      id: '',
      log: { ...silentLogger, warn: (fields: object) => void faults.push(json(fields)) },
    });
    await beacon.start();
    if (faults.length > 0) throw new Error(`cannot listen: ${faults[0]}`);
    await delay((context.timeout ?? SECONDS) * 1000, undefined, context).catch(() => {});
    const heard = beacon
      .peers()
      .map(({ ageMs: _, ...node }) => ({ ...node, url: `http://${node.address}:${node.httpPort}` }));
    await beacon.stop();
    const nodes = await withReach(heard);
    if (context.json) return writeOut(json(nodes));
    const rows = nodes.map(({ id, name, url, variant, firmwareVersion, ipp = [] }) =>
      [id, name, url, variant, firmwareVersion, ipp.join(' ')].map(clean),
    );
    if (rows.length > 0) writeOut(table(['id', 'name', 'address', 'variant', 'version', 'IPP'], rows));
    for (const sentence of sentencesAbout(nodes)) writeOut(clean(sentence));
  },
};

export const commands = { name, identity, find };
