/** What is taken along of a site, while what is stored changes. */
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { until } from '../node.ts';
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

it('an export has what stays of nodes that were deleted or replaced: alerts, rollouts and what people did', async () => {
  const fleet = await fleetOn(await database());
  await fleet.call('PUT', '/api/settings', { rules: { custody_hold: { afterSeconds: 0 } } });
  for (const node of ['a1', 'b1', 'c1', 'd1', 'e1', 'f1'])
    await fleet.beat(heartbeat({ node, custodyHold: !['c1', 'f1'].includes(node) }));
  for (const node of ['a1', 'b1', 'c1', 'd1', 'e1'])
    await fleet.call('PUT', `/api/nodes/${node}`, { site: node === 'e1' ? 'Wels' : 'Graz' });
  await until(async () => (await fleet.call('GET', '/api/alerts')).body.total === 4);
  for (const node of ['a1', 'c1', 'e1']) await fleet.call('DELETE', `/api/nodes/${node}`);
  await fleet.call('POST', '/api/nodes/b1/replace', { by: 'f1' });
  await until(async () => (await fleet.call('GET', '/api/alerts?open=true')).body.total === 1);
  const exported = async (site: string): Promise<string[]> =>
    ((await fleet.call('GET', `/api/sites/${encodeURIComponent(site)}/export`)).body as string)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ kind }) => ['node', 'alert', 'audit'].includes(kind))
      .map(({ kind, node = '', id, deleted = '', rule = '', what = '' }) =>
        kind === 'node' ? `${id} ${deleted}` : `${node} ${kind} ${rule}${what}`,
      );
  expect(await exported('Graz')).toEqual(
    expect.arrayContaining(['c1 true', 'c1 audit node deleted', 'a1 alert custody_hold']),
  );
  expect((await fleet.call('PUT', '/api/sites/Graz', { name: 'Graz, Ring' })).status).toBe(200);
  expect((await exported('Graz, Ring')).filter((line) => !/node changed|site changed/.test(line))).toEqual([
    'd1 ',
    'd1 alert custody_hold',
    'f1 ',
    'a1 true',
    'a1 alert custody_hold',
    'a1 audit node deleted',
    'b1 true',
    'b1 alert custody_hold',
    'b1 audit node replaced',
    'c1 true',
    'c1 audit node deleted',
  ]);
  expect((await exported('Wels')).slice(-3)).toEqual([
    'e1 alert custody_hold',
    'e1 audit node changed',
    'e1 audit node deleted',
  ]);
});

it('an export has what people did with the site under each of its names, and with nothing else that is or was called so', async () => {
  const fleet = await fleetOn(await database());
  const rename = (site: string, name: string) => fleet.call('PUT', `/api/sites/${site}`, { name });
  const note = (site: string, notes: string) => fleet.call('PUT', `/api/sites/${site}`, { notes });
  // Another site had the name before, and a third one has had that of today.
  await note('Graz', 'old Graz');
  await rename('Graz', 'Villach');
  await note('Wels', 'old Wels');
  await rename('Wels', 'Steyr');
  await note('Graz', 'first');
  for (const node of ['a1', 'b1', 'Wels']) {
    await fleet.beat(heartbeat({ node }));
    await fleet.call('PUT', `/api/nodes/${node}`, { site: 'Graz' });
  }
  await fleet.call('DELETE', '/api/nodes/a1');
  await rename('Graz', 'Linz');
  await note('Linz', 'second');
  await fleet.call('DELETE', '/api/nodes/b1');
  // One that is called as it was meanwhile.
  await note('Graz', 'new Graz');
  await rename('Linz', 'Wels');
  await fleet.call('PUT', '/api/people/Wels', { role: 'viewer', password: 'correct horse battery' });
  await note('Wels', 'third');
  const { body } = await fleet.call('GET', '/api/sites/Wels/export');
  const lines = (body as string)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const audit = lines.filter(({ kind }) => kind === 'audit');
  const ofSite = audit.filter(({ node }) => node === undefined);
  expect(ofSite.map(({ what, detail: { after } }) => [what, after.notes ?? after.name])).toEqual([
    ['site changed', 'first'],
    ['site changed', 'Linz'],
    ['site changed', 'second'],
    ['site changed', 'Wels'],
    ['site changed', 'third'],
  ]);
  expect(audit.filter(({ node }) => node !== undefined).map(({ node, what }) => `${node}: ${what}`)).toEqual([
    ...['Wels: node changed', 'a1: node changed', 'a1: node deleted', 'b1: node changed', 'b1: node deleted'],
  ]);
  expect(lines.filter(({ kind }) => kind === 'node').map(({ id }) => id)).toEqual(['Wels', 'a1', 'b1']);
});

it('an export has nothing of an earlier site of the same name that was deleted, and its alerts are of no site any more', async () => {
  const fleet = await fleetOn(await database());
  await fleet.call('PUT', '/api/settings', { rules: { custody_hold: { afterSeconds: 0 } } });
  const note = (site: string, notes: string) => fleet.call('PUT', `/api/sites/${site}`, { notes });
  const shop = async (site: string, gone: string) => {
    await note(site, `of ${gone}`);
    await fleet.beat(heartbeat({ node: gone, custodyHold: true }));
    await fleet.call('PUT', `/api/nodes/${gone}`, { site });
    await until(async () => (await fleet.call('GET', `/api/alerts?subject=${gone}`)).body.total === 1);
    await fleet.call('DELETE', `/api/nodes/${gone}`);
  };
  const exported = async (site: string): Promise<string[]> =>
    ((await fleet.call('GET', `/api/sites/${site}/export`)).body as string)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ kind }) => kind !== 'site')
      .map(({ kind, node = '', id, what = '', detail }) =>
        kind === 'node' ? id : `${node} ${kind} ${what} ${detail?.after?.notes ?? ''}`.trim(),
      );
  const sites = async () =>
    (await fleet.call('GET', '/api/alerts')).body.alerts
      .map(({ subject, site }: { subject: string; site: string | null }) => `${subject} ${site}`)
      .sort();
  await shop('Graz', 'a1');
  await shop('Linz', 'b1');
  for (const site of ['Graz', 'Linz']) expect((await fleet.call('DELETE', `/api/sites/${site}`)).status).toBe(204);
  expect(await sites()).toEqual(['a1 Graz', 'b1 Linz']);
  // One by itself, one as a node is put there, and one that is called so later.
  await shop('Graz', 'c1');
  const ofGraz = ['audit site changed of c1', 'c1', 'c1 alert', 'c1 audit node changed', 'c1 audit node deleted'];
  expect(await exported('Graz')).toEqual(ofGraz);
  await fleet.beat(heartbeat({ node: 'd1' }));
  await fleet.call('PUT', '/api/nodes/d1', { site: 'Linz' });
  expect((await exported('Linz')).filter((line) => !/hour|transition/.test(line))).toEqual([
    'd1',
    'd1 audit node changed',
  ]);
  await fleet.call('PUT', '/api/nodes/d1', { site: null });
  await fleet.call('DELETE', '/api/sites/Linz');
  await fleet.call('PUT', '/api/sites/Graz', { name: 'Linz' });
  expect(await exported('Linz')).toEqual([ofGraz[0], 'audit site changed', ...ofGraz.slice(1)]);
  expect(await sites()).toEqual(['a1 null', 'b1 null', 'c1 Linz']);
});
