/** The settings, for operators. */
import { changeOf, record } from '../audit/audit.ts';
import type { Database } from '../database/database.ts';
import { Refusal } from '../http/errors.ts';
import { type Route, route } from '../http/routes.ts';
import { type Settings, SettingsPatch, SettingsView } from './contract.ts';
import { patchSettings, readSettings, viewOf } from './settings.ts';

/** Throws the Refusal `invalid_request` for a text that no request could be made of: it would be heard of when an alert is not told. */
function mustBeUrls({ alerts, compose, firmware }: Settings): void {
  const urls = {
    'alerts.webhook.url': alerts.webhook.url,
    'alerts.mail.server': alerts.mail.server,
    'compose.url': compose.url,
    'firmware.origin': firmware.origin,
  };
  for (const [key, url] of Object.entries(urls))
    if (url !== '' && !URL.canParse(url)) throw new Refusal('invalid_request', `${key} is no URL`);
}

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
export const settingsRoutes = (database: Database): Route[] => [
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
        mustBeUrls(stored);
        const view = viewOf(stored);
        await record(on, who, 'settings changed', Object.keys(body).join(', '), changeOf(...told(before, stored)));
        return view;
      }),
  }),
];
