/** The stored settings: defaults, patches, and how they are shown. */
import { isRecord } from '../../base/record.ts';
import type { Queries } from '../database/database.ts';
import type { Settings, SettingsView } from './contract.ts';

export const DEFAULTS: Settings = {
  keepDays: 7,
  keep: { hoursDays: 62, changesDays: 366, auditDays: 0 },
  rules: {
    offline: { afterSeconds: 180, alert: true },
    no_paper: { afterSeconds: 600, alert: true },
    crash_loop: { withinSeconds: 3600, alert: true },
    custody_hold: { afterSeconds: 0, alert: true },
  },
  alerts: {
    webhook: { url: '', secret: '' },
    mail: { server: '', user: '', password: '', from: '', to: [], language: 'en' },
  },
  compose: { url: '', model: '', key: '' },
  firmware: { origin: '', keys: [] },
};

/** `patch` over `base`, key by key; lists and values are replaced. */
function over<T>(base: T, patch: unknown): T {
  if (!isRecord(base) || !isRecord(patch)) return patch as T;
  return { ...base, ...Object.fromEntries(Object.entries(patch).map(([key, value]) => [key, over(base[key], value)])) };
}

/** The settings now. */
export async function readSettings(on: Queries): Promise<Settings> {
  const rows = await on.query<{ name: string; value: unknown }>('SELECT name, value FROM setting');
  return over(DEFAULTS, Object.fromEntries(rows.map(({ name, value }) => [name, value])));
}

/**
 * Stores a patch and returns the settings before and after it. Of two at once the second begins from what the first left. A secret
 * goes with where it is sent: another URL or server clears it, unless the patch brings one.
 */
export async function patchSettings(on: Queries, patch: object): Promise<[before: Settings, after: Settings]> {
  // Also settings that have no row yet, and those that a process of another version writes.
  await on.query('LOCK TABLE setting IN SHARE ROW EXCLUSIVE MODE');
  const before = await readSettings(on);
  const next = over(before, patch);
  const brought = over(DEFAULTS, patch);
  const { webhook, mail } = next.alerts;
  const kept: Settings = {
    ...next,
    alerts: {
      webhook: {
        ...webhook,
        secret: webhook.url === before.alerts.webhook.url ? webhook.secret : brought.alerts.webhook.secret,
      },
      mail: {
        ...mail,
        password: mail.server === before.alerts.mail.server ? mail.password : brought.alerts.mail.password,
      },
    },
    compose: { ...next.compose, key: next.compose.url === before.compose.url ? next.compose.key : brought.compose.key },
  };
  for (const name of Object.keys(patch))
    await on.query(
      'INSERT INTO setting (name, value) VALUES ($1, $2::json) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
      [name, JSON.stringify(kept[name as keyof Settings])],
    );
  return [before, kept];
}

/** The settings without the secrets. */
export function viewOf({ keepDays, keep, rules, alerts, compose, firmware }: Settings): SettingsView {
  const { secret, ...webhook } = alerts.webhook;
  const { password, to, ...mail } = alerts.mail;
  const { key, ...model } = compose;
  return {
    keepDays,
    keep,
    rules,
    alerts: {
      webhook: { ...webhook, secretSet: secret !== '' },
      mail: { ...mail, to: [...to], passwordSet: password !== '' },
    },
    compose: { ...model, keySet: key !== '' },
    firmware: { ...firmware, keys: [...firmware.keys] },
  };
}
