/** The settings, for operators. */
import { isIP } from 'node:net';
import type { Refuses } from '../../http/targets.ts';
import { changeOf, record } from '../audit/audit.ts';
import type { Database } from '../database/database.ts';
import { Refusal } from '../http/errors.ts';
import { type Route, route } from '../http/routes.ts';
import { type Settings, SettingsPatch, SettingsView } from './contract.ts';
import { patchSettings, readSettings, viewOf } from './settings.ts';

/** Where the fleet sends to, and nodes for images. */
const urlsOf = ({ alerts, compose, firmware }: Settings) => ({
  'alerts.webhook.url': alerts.webhook.url,
  'alerts.mail.server': alerts.mail.server,
  'compose.url': compose.url,
  'firmware.origin': firmware.origin,
});

/** Throws the Refusal `invalid_request` for what would be heard of when an alert is not told, or no node takes an image. */
function mustBeUseful(before: Settings, after: Settings, refuses: Refuses): void {
  const were = new Map(Object.entries(urlsOf(before)));
  for (const [key, url] of Object.entries(urlsOf(after))) {
    // What stands there already keeps nobody from another change.
    if (url === '' || url === were.get(key)) continue;
    const why = faultOf(url, key === 'firmware.origin', refuses);
    if (why !== undefined) throw new Refusal('invalid_request', `${key} ${why}`);
  }
  const isNew = after.keepDays !== before.keepDays || after.keep.hoursDays !== before.keep.hoursDays;
  if (isNew && after.keep.hoursDays < after.keepDays)
    throw new Refusal('invalid_request', `keep.hoursDays is at least keepDays, ${after.keepDays}`);
}

/** What is wrong with a URL. An address is judged as where it is sent to; a name may lead elsewhere by then. `isBase`: a path is put behind it. */
function faultOf(text: string, isBase: boolean, refuses: Refuses): string | undefined {
  if (!URL.canParse(text)) return 'is no URL';
  const { protocol, hostname, port, username, password, search, hash } = new URL(text);
  if (username !== '' || password !== '') return 'has a user or a password in it';
  if (isBase) return /[?#]/.test(text) || search + hash !== '' ? 'has a query or a fragment' : undefined;
  const address = hostname.replace(/^\[|\]$/g, '');
  const known = port === '' ? PORTS[protocol] : Number(port);
  return isIP(address) > 0 && refuses(address, known ?? 0) ? 'can be no receiver, or is the fleet itself' : undefined;
}
const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'smtp:': 25, 'smtps:': 465 };

/** What the audit has of a change: of a secret, that it is another one. */
function told(before: Settings, after: Settings): [before: object, after: object] {
  const isNew = (of: (settings: Settings) => string) => of(after) !== '' && of(after) !== of(before);
  const secrets = {
    ...(isNew(({ alerts }) => alerts.webhook.secret) && { 'alerts.webhook.secret': 'new' }),
    ...(isNew(({ alerts }) => alerts.mail.password) && { 'alerts.mail.password': 'new' }),
    ...(isNew(({ compose }) => compose.key) && { 'compose.key': 'new' }),
  };
  return [viewOf(before), { ...viewOf(after), ...secrets }];
}

/** The routes. */
export const settingsRoutes = (database: Database, refuses: Refuses): Route[] => [
  route({
    method: 'GET',
    path: '/api/settings',
    access: 'operator',
    summary: 'the settings of the fleet; secrets only as flags',
    response: SettingsView,
    handle: async () => viewOf(await readSettings(database)),
  }),
  route({
    method: 'PUT',
    path: '/api/settings',
    access: 'owner',
    summary: 'change settings; another URL clears its secret unless one is sent as well',
    body: SettingsPatch,
    response: SettingsView,
    handle: ({ body, who }) =>
      database.transaction(async (on) => {
        const [before, stored] = await patchSettings(on, body);
        mustBeUseful(before, stored, refuses);
        const view = viewOf(stored);
        await record(on, who, 'settings changed', Object.keys(body).join(', '), changeOf(...told(before, stored)));
        return view;
      }),
  }),
];
