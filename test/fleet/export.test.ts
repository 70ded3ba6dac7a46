/** What is taken along of a site, while what is stored changes. */
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { databases, EITHER, fleetOn, heartbeat, MASTER } from './fleet.ts';

const database = databases(EITHER.at(-1)!);
/** Steps of a few thousand rows, and more bytes than the buffers of a connection hold. */
const EVENTS = 12_000;
const GONE = 3000;

it('an export has all that stays stored while it is read, though a day is dropped meanwhile', async () => {
  const where = await database();
  const fleet = await fleetOn(where);
  await fleet.beat(heartbeat());
  await fleet.call('PUT', '/api/nodes/0a1b2c3d', { site: 'Graz' });
  const on = await openDatabase(where);
  onTestFinished(() => on.close());
  // Ten come in one batch, at one time.
  await on.query(
    `INSERT INTO event SELECT now() - (${EVENTS} - i / 10 * 10) * interval '1 microsecond', '0a1b2c3d', i, i, 'scan_read',
       json_build_object('value', repeat('x', 2000)) FROM generate_series(1, ${EVENTS}) AS i`,
  );
  const { body } = await fetch(`${fleet.url}/api/sites/Graz/export`, {
    headers: { Authorization: `Bearer ${MASTER}` },
  });
  const reader = body!.getReader();
  const pieces: Uint8Array[] = [];
  const hasBegun = () => Buffer.concat(pieces).includes('"kind":"event"');
  while (!hasBegun()) pieces.push((await reader.read()).value!);
  await on.query('DELETE FROM event WHERE seq <= $1', [GONE]);
  for (let next = await reader.read(); next.value !== undefined; next = await reader.read()) pieces.push(next.value);
  const events = Buffer.concat(pieces)
    .toString()
    .split('\n')
    .filter((line) => line.startsWith('{"kind":"event"'))
    .map((line) => Number(/"seq":(\d+)/.exec(line)?.[1]));
  const stayed = events.filter((seq) => seq > GONE);
  expect(stayed).toEqual(Array.from({ length: EVENTS - GONE }, (_, at) => GONE + 1 + at));
});
