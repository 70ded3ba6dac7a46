/** The recipe table: what nodes get, what is refused, and the way back. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codecsOf, treeRooms } from '../../runtime/assembly/variant/room-codecs.ts';
import { tokenOf } from '../../runtime/fleet/sign-in/node-tokens.ts';
import { databases, ENGINES, fleetOn, MASTER } from './fleet.ts';

const EPSON = readFileSync('recipes/epson.json', 'utf8');
const STAR = readFileSync('recipes/star.json', 'utf8');
const OUTSIDE = { name: 'pole-display', directory: resolve('test/third-party/pole-display') };
const POLE = readFileSync(`${OUTSIDE.directory}/recipes/example.json`, 'utf8');
const rowsIn = (text: string) => (JSON.parse(text) as { rows: unknown[] }).rows.length;

describe.each(ENGINES)('on %s', (engine) => {
  const database = databases(engine);

  it('a table is served with an entity tag, whole rows with their make, and 304 to whom has it', async () => {
    const fleet = await fleetOn(await database());
    expect((await fleet.call('GET', '/recipes?node=a')).body).toEqual({ rows: [] });
    const put = await fleet.call('PUT', '/api/recipes', { text: EPSON, note: 'first', base: 0 });
    expect(put).toMatchObject({ status: 200, body: { version: 1, note: 'first', who: 'token', rows: rowsIn(EPSON) } });
    const { headers, body } = await fleet.call('GET', '/recipes?node=a', undefined, {
      Authorization: `Bearer ${tokenOf(MASTER, 'a')}`,
    });
    expect(body.rows).toHaveLength(rowsIn(EPSON));
    expect(body.rows[0]).toMatchObject({ make: 'Epson', options: expect.any(Object) });
    const again = await fleet.call('GET', '/recipes?node=a', undefined, { 'If-None-Match': headers.get('etag') ?? '' });
    expect([again.status, again.body]).toEqual([304, '']);
    expect((await fleet.call('GET', '/recipes?node=a', undefined, { Authorization: 'Bearer x' })).status).toBe(401);
  });

  it('a table with a fault is refused with its line, as `recipes check` does, and nothing changes', async () => {
    const fleet = await fleetOn(await database());
    const wrong = '{\n "maker": "Acme",\n "rows": [\n  {"id": "acme-one", "vendorId": "abcd", "format": "x"}\n ]\n}';
    const { status, body } = await fleet.call('PUT', '/api/recipes', { text: wrong });
    expect([status, body.error, body.faults[0].line]).toEqual([422, 'invalid_request', 4]);
    expect((await fleet.call('POST', '/api/recipes/check', { text: wrong })).body.faults).toEqual(body.faults);
    expect((await fleet.call('POST', '/api/recipes/check', { text: EPSON })).body).toEqual({
      faults: [],
      warnings: [],
    });
    expect((await fleet.call('GET', '/api/recipes')).body.version).toBe(0);
  });

  it('rows of a plugin from outside are served, with a warning while no node was heard that has their codec', async () => {
    const fleet = await fleetOn(await database());
    const beat = (codecs: string[]) => ({ node: 'a', seq: codecs.length, bootId: 'b', uptimeSeconds: 1, codecs });
    const check = async () => (await fleet.call('POST', '/api/recipes/check', { text: POLE })).body;
    expect(await check()).toEqual({ faults: [], warnings: [] });
    await fleet.call('POST', '/heartbeat', beat(['escpos']), { Authorization: `Bearer ${tokenOf(MASTER, 'a')}` });
    const warning = { line: 4, field: 'codec', reason: 'no node was heard of that has "pole-display"' };
    expect(await check()).toMatchObject({ faults: [], warnings: [warning, { field: 'codec' }] });
    await fleet.call('POST', '/heartbeat', beat(['escpos', 'pole-display']), {
      Authorization: `Bearer ${tokenOf(MASTER, 'a')}`,
    });
    expect(await check()).toEqual({ faults: [], warnings: [] });
    expect((await fleet.call('PUT', '/api/recipes', { text: POLE })).status).toBe(200);
    expect((await fleet.call('GET', '/recipes')).body.rows).toHaveLength(rowsIn(POLE));
  });

  it('rows of each codec that the fleet was given are checked, also of a room from outside', async () => {
    const fleet = await fleetOn(await database(), { codecs: await codecsOf([...treeRooms('.'), OUTSIDE]) });
    const wrong = POLE.replace('"columns": 20', '"columns": 7');
    const fault = { line: 11, row: 'example-pole-display', field: 'options.columns', reason: expect.any(String) };
    expect(await fleet.call('PUT', '/api/recipes', { text: wrong })).toMatchObject({
      status: 422,
      body: { faults: [fault] },
    });
    expect(
      (await fleet.call('PUT', '/api/recipes', { text: EPSON.replace('"columns": ', '"columns": 9') })).status,
    ).toBe(422);
    expect((await fleet.call('PUT', '/api/recipes', { text: POLE })).status).toBe(200);
    expect((await fleet.call('PUT', '/api/recipes', { text: EPSON })).status).toBe(200);
  });

  it('a table that is nested without end is a fault of its file', async () => {
    const fleet = await fleetOn(await database());
    const text = '['.repeat(900_000);
    const { status, body } = await fleet.call('POST', '/api/recipes/check', { text });
    expect([status, body.faults]).toMatchObject([200, [{ line: 1, field: 'file' }]]);
  });

  it('every version is kept, an old one comes back by one call, and nobody overwrites what he has not seen', async () => {
    const fleet = await fleetOn(await database());
    await fleet.call('PUT', '/api/recipes', { text: EPSON });
    await fleet.call('PUT', '/api/recipes', { text: STAR });
    expect((await fleet.call('PUT', '/api/recipes', { text: EPSON, base: 1 })).status).toBe(409);
    const first = (await fleet.call('GET', '/recipes')).headers.get('etag');
    expect((await fleet.call('POST', '/api/recipes/versions/1/restore')).body).toMatchObject({
      version: 3,
      text: EPSON,
    });
    expect((await fleet.call('GET', '/recipes')).headers.get('etag')).not.toBe(first);
    const { versions } = (await fleet.call('GET', '/api/recipes/versions')).body;
    expect(versions.map(({ version }: { version: number }) => version)).toEqual([3, 2, 1]);
    expect((await fleet.call('GET', '/api/recipes/versions/2')).body.text).toBe(STAR);
    expect((await fleet.call('GET', '/api/recipes/versions/9')).status).toBe(404);
    const { entries } = (await fleet.call('GET', '/api/audit')).body;
    expect(entries.map(({ what }: { what: string }) => what)).toEqual([
      'recipes restored',
      'recipes changed',
      'recipes changed',
    ]);
  });
});
