/** A code of the contract that the page shows has words, in every language. */
import { existsSync, readdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Drawer } from '../../plugins/printer/contract.ts';
import { ScaleBlock } from '../../plugins/scale/contract.ts';
import { ScanRecord } from '../../plugins/scanner/contract.ts';
import { SerialTried } from '../../plugins/serial/contract.ts';
import { TwinScale } from '../../plugins/twin/contract.ts';
import { tablesIn, wordFolders } from '../../runtime/assembly/page/word-files.ts';
import { LANGUAGES } from '../../runtime/base/language.ts';
import { RULES } from '../../runtime/fleet/alerts/contract.ts';
import { ODDITIES } from '../../runtime/fleet/ingest/oddities.ts';
import { OUT } from '../../runtime/fleet/nodes/gone.ts';
import { Cause, MEMBER_STATES, Rollout } from '../../runtime/fleet/rollouts/contract.ts';
import { ROLES, SCOPES } from '../../runtime/fleet/sign-in/roles.ts';
import { Bootlog } from '../../runtime/services/bootlog/contract.ts';
import { DiscoveryPart } from '../../runtime/services/discovery/contract.ts';
import { DayHour, RecentJob } from '../../runtime/services/jobs/contract.ts';
import { NetworkView } from '../../runtime/services/network/contract.ts';
import { ApiMode } from '../../runtime/services/settings/contract.ts';
import { Condition, NodeStatus, UnknownDevices } from '../../runtime/services/status/contract.ts';
import { UpdatePolicy } from '../../runtime/services/update/contract.ts';
import { fieldsOf } from '../page/catalogues.ts';

/** Every name that a schema offers, at whatever depth. */
function codesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = 'const' in schema && typeof schema.const === 'string' ? [schema.const] : [];
  const listed = 'enum' in schema && Array.isArray(schema.enum) ? (schema.enum as readonly string[]) : [];
  return [...own, ...listed, ...Object.values(schema).flatMap((inner: unknown) => codesIn(inner))];
}

const BOOTLOG = 'runtime/services/bootlog/words';
const STATUS = 'runtime/services/status/words';
const NETWORK = 'runtime/services/network/words';
const FLEET = 'runtime/fleet/page/words';
/** What the page shows, the folder of its words, and how their keys begin. */
const SHOWN: ReadonlyArray<readonly [what: string, schema: unknown, folder: string, prefix?: string]> = [
  ['the condition of a device', Condition, 'runtime/page/words'],
  ['the state of an unknown device', UnknownDevices.properties.devices.items.properties.state, STATUS, 'state_'],
  ['the tier of a recipe', NodeStatus.properties.peripherals.items.properties.recipe, STATUS, 'tier_'],
  ['why the node started', Bootlog.properties.boots.items.properties.reason, BOOTLOG],
  ['why it crashed', Bootlog.properties.crash, BOOTLOG],
  ['the outcome of a job', RecentJob.properties.outcome, 'runtime/services/jobs/words'],
  ['the trouble of an hour', DayHour.properties.trouble, 'runtime/services/jobs/words', 'trouble_'],
  ['how the node is found', DiscoveryPart, 'runtime/services/discovery/words'],
  ['the API mode', ApiMode, 'runtime/services/settings/words', 'mode_'],
  ['the policy of updates', UpdatePolicy, 'runtime/services/update/words', 'policy_'],
  ['the level of an open drawer', Drawer.properties.openLevel, 'plugins/printer/words', 'level_'],
  ['the state of the scale', ScaleBlock.properties.status, 'plugins/scale/words'],
  ['a fault of the scale', ScaleBlock.properties.fault, 'plugins/scale/words'],
  ['the verdict on a read', ScanRecord.properties.verdict, 'plugins/scanner/words'],
  ['why a read may be wrong', ScanRecord.properties.suspect, 'plugins/scanner/words', 'suspect_'],
  ['the way into the network', NetworkView.properties.mode, NETWORK],
  ['where the address is from', NetworkView.properties.ipv4.properties.method, NETWORK, 'address_'],
  ['what was heard of a scale', SerialTried.properties.tried.items.properties.heard, 'plugins/serial/words'],
  ['the state of the scale of the twin', TwinScale.properties.status, 'plugins/twin/words'],
  ['what is wrong with requests to the fleet', { enum: ODDITIES }, FLEET, 'oddity_'],
  ['the state of a rollout', Rollout.properties.state, FLEET, 'rollout_'],
  ['a node in a rollout', { enum: MEMBER_STATES }, FLEET, 'member_'],
  ['what holds up a rollout', Cause.properties.held.items.properties.what, FLEET, 'held_'],
  ['why a node is out of a rollout', { enum: Object.keys(OUT) }, FLEET, 'out_'],
  ['what an alert is about', { enum: RULES }, FLEET, 'state_'],
  ['what a mail tells', { enum: RULES }, 'runtime/fleet/alerts/words'],
  ['the updates of a node, to the fleet', UpdatePolicy, FLEET, 'policy_'],
  ['what a person may do', { enum: ROLES }, FLEET, 'role_'],
  ['what a token may do', { enum: SCOPES }, FLEET, 'scope_'],
];

describe('a code that the page shows', () => {
  const shown = SHOWN.map(([what, schema, folder, prefix = '']) => ({ what, schema, folder, prefix }));
  it.each(shown)('has words in every language: $what', ({ schema, folder, prefix }) => {
    const tables = tablesIn(folder);
    const codes = codesIn(schema);
    expect(codes.length).toBeGreaterThan(1);
    const silent = Object.keys(LANGUAGES).flatMap((language) =>
      codes.filter((code) => !tables[language]?.[`${prefix}${code}`]).map((code) => `${language}: ${prefix}${code}`),
    );
    expect(silent).toEqual([]);
  });

  // Without a list: whatever room tells of a `fault`, and whether its panel shows it today or tomorrow.
  const rooms = ['runtime/services', 'plugins'].flatMap((parent) =>
    readdirSync(parent).map((name) => `${parent}/${name}`),
  );
  const told = rooms.filter((room) => existsSync(`${room}/contract.ts`) && existsSync(`${room}/words/en.json`));
  it.each(told)('has words in every language where it is the fault in an answer of %s', async (room) => {
    const contract: unknown = await import(pathToFileURL(`${room}/contract.ts`).href);
    const codes = new Set(fieldsOf('fault', { ...(contract as object) }).flatMap(codesIn));
    const tables = wordFolders()
      .filter((folder) => `${folder}/`.startsWith(`${room}/words/`))
      .map((folder) => tablesIn(folder));
    const keys = (language: string) =>
      tables.flatMap((table) => Object.keys(table[language as keyof typeof LANGUAGES] ?? {}));
    const silent = Object.keys(LANGUAGES).flatMap((language) =>
      [...codes]
        .filter((code) => !keys(language).some((key) => key === code || key.endsWith(`_${code}`)))
        .map((code) => `${language}: ${code}`),
    );
    expect(silent).toEqual([]);
  });
});
