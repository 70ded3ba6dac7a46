/** The settings, for operators. */
import { changeOf, record } from '../audit/audit.ts';
import type { Database } from '../database/database.ts';
import { type Route, route } from '../http/routes.ts';
import { SettingsPatch, SettingsView } from './contract.ts';
import { patchSettings, readSettings, viewOf } from './settings.ts';

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
        const before = viewOf(await readSettings(on));
        const view = viewOf(await patchSettings(on, body));
        await record(on, who, 'settings changed', Object.keys(body).join(', '), changeOf(before, view));
        return view;
      }),
  }),
];
