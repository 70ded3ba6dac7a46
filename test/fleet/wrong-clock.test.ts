/** A process whose own clock is wrong: that of the database decides, which every process of a fleet shares. */
import { randomUUID } from 'node:crypto';
import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { Images } from '../../runtime/fleet/firmware/images.ts';
import { stepOf } from '../../runtime/fleet/sign-in/totp.ts';
import { answer, startReceiver } from '../http/receiver.ts';
import { until } from '../node.ts';
import { totpCode } from './authenticator.ts';
import { browser } from './browser.ts';
import { databases, ENGINES, fleetOn, folder, heartbeat } from './fleet.ts';

const DAY_MS = 86_400_000;
/** PostgreSQL in the process has the clock of the process. */
const server = ENGINES.at(-1);
const database = server === undefined ? undefined : databases(server);
const needs = it.skipIf(ENGINES.length < 2);

/** From now on the clock of this process is ahead by so many days, until the test ends. */
function putAhead(days: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * DAY_MS });
  onTestFinished(() => void vi.useRealTimers());
}

needs('that is 16 days ahead drops no day of the others', async () => {
  const where = await database!();
  const fleet = await fleetOn(where);
  const on = await openDatabase(where);
  onTestFinished(() => on.close());
  await fleet.beat(heartbeat());
  const event = (seq: number) => ({
    ...{ node: '0a1b2c3d', seq, uptimeMs: 61_000 + seq },
    event: { type: 'command_result', commandId: `c${seq}` },
  });
  expect((await fleet.webhook(event(1))).status).toBe(204);
  // The last one that goes when it tidies up.
  await until(
    async () => (await on.query("SELECT FROM duty WHERE name = 'partitions' AND done_at > 'epoch'")).length > 0,
  );
  await on.query('CREATE TABLE hour_20200101 (LIKE hour INCLUDING ALL)');
  await on.query("UPDATE duty SET done_at = 'epoch' WHERE name = 'partitions'");
  await fleet.stop();
  putAhead(16);
  const ahead = await fleetOn(where);
  await until(async () => (await on.query("SELECT to_regclass('hour_20200101') AS there"))[0]?.['there'] === null);
  expect((await ahead.webhook(event(2))).status).toBe(204);
  expect((await ahead.call('GET', '/api/nodes/0a1b2c3d')).body.jobs).toHaveLength(2);
});

needs(
  'takes the codes that are right by the time of the others, and lets people in for as long as they do',
  async () => {
    const fleet = await fleetOn(await database!());
    putAhead(16);
    const password = 'correct horse battery';
    await fleet.call('PUT', '/api/people/ada', { role: 'viewer', password });
    const ada = browser(fleet);
    const { headers } = await ada.go('POST', '/api/session', { name: 'ada', password });
    // By the clock of the browser.
    expect(headers.get('set-cookie')).toMatch(/; max-age=43200/i);
    expect(headers.get('set-cookie')).not.toMatch(/expires/i);
    const { secret } = (await ada.go('POST', '/api/totp', { password })).body;
    const step = stepOf(
      secret,
      totpCode(secret, Math.floor((Date.now() - 16 * DAY_MS) / 30_000)),
      Date.now() - 16 * DAY_MS,
      0,
    );
    expect((await ada.go('PUT', '/api/totp', { code: totpCode(secret, step ?? 0) })).status).toBe(204);
    const again = { name: 'ada', password, code: totpCode(secret, (step ?? 0) + 1) };
    expect((await browser(fleet).go('POST', '/api/session', again)).status).toBe(200);
  },
);

needs('gives up no alert that the others would try again', async () => {
  const receiver = await startReceiver(answer(503));
  const where = await database!();
  const fleet = await fleetOn(where);
  const on = await openDatabase(where);
  onTestFinished(() => on.close());
  putAhead(16);
  await fleet.call('PUT', '/api/settings', { alerts: { webhook: { url: receiver.url, secret: '' } } });
  await fleet.beat(heartbeat({ custodyHold: true }));
  const tried = () => on.query('SELECT done_at FROM delivery WHERE fault IS NOT NULL');
  await until(async () => (await tried()).length === 1);
  expect(await tried()).toEqual([{ done_at: null }]);
});

it('a process whose clock is wrong deletes no upload that is under way', async () => {
  const at = folder();
  const images = new Images(at);
  await images.open();
  const [fresh, old] = [join(at, `upload-${randomUUID()}`), join(at, `upload-${randomUUID()}`)];
  for (const path of [fresh, old]) writeFileSync(path, '');
  utimesSync(old, new Date(), new Date(Date.now() - 2 * DAY_MS));
  putAhead(16);
  await images.forgetUploads();
  expect([existsSync(fresh), existsSync(old)]).toEqual([true, false]);
});
