/** The command line of the fleet, and what it takes along. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { COMMANDS, commandOf } from '../../runtime/fleet/cli/commands.ts';
import { objectOf } from '../../runtime/fleet/cli/pairs.ts';
import { databases, EITHER, fleetOn, folder, heartbeat, MASTER } from './fleet.ts';
import { IMAGE } from './rollout.ts';

const program = join(import.meta.dirname, '../../.cache/test-tillnode-fleet.mjs');

async function run(url: string, args: readonly string[], token = MASTER) {
  const child = spawn(process.execPath, [program, '--fleet', url, ...args], {
    env: { PATH: process.env['PATH'], TILLNODE_FLEET_TOKEN: token },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { out, err, code };
}

describe.each(EITHER)('on %s', (engine) => {
  const database = databases(engine);
  beforeAll(() =>
    build({
      entryPoints: [join(import.meta.dirname, '../../runtime/fleet/cli/main.ts')],
      ...{ outfile: program, bundle: true, platform: 'node', format: 'esm', packages: 'external' },
    }),
  );

  it('every route of operators has a command, but those of somebody who is signed in', async () => {
    const fleet = await fleetOn(await database());
    const { paths } = (await fleet.call('GET', '/api/openapi.json')).body;
    const routes = Object.entries(paths as Record<string, object>).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    const asked = new Set(COMMANDS.map(({ method, path }) => `${method} ${path}`));
    const ofNodes = /^\S+ \/(heartbeat|events|recipes|firmware|compose)(\/|$)/;
    const ofSessions = /\/api\/(session|password|totp|openapi\.json)/;
    expect(routes.filter((each) => !asked.has(each) && !ofNodes.test(each) && !ofSessions.test(each))).toEqual([]);
    expect([...asked].filter((each) => !routes.includes(each))).toEqual([]);
  });

  it('what every client takes out of a path is the name of nothing', async () => {
    const fleet = await fleetOn(await database());
    await fleet.beat(heartbeat());
    for (const words of [
      ['node', '.'],
      ['node', 'delete', '..'],
      ['person', 'delete', '.'],
      ['site', ''],
      ['rollout', 'stop', '..'],
    ])
      expect([words, await run(fleet.url, words)]).toMatchObject([
        words,
        { code: 2, out: '', err: expect.stringContaining('is the name of nothing') },
      ]);
    for (const path of ['/api/nodes/', '/api/nodes/.', '/api/people/.'])
      expect([path, (await fleet.call('GET', path)).status]).toEqual([path, 404]);
    // Nodes ask for what somebody typed.
    expect((await fleet.call('POST', '/heartbeat/', heartbeat({ seq: 2 }))).status).toBe(204);
    expect((await fleet.call('POST', '/events/', {})).status).toBe(401);
    expect((await fleet.call('GET', '/recipes/')).status).toBe(200);
  });

  it('the command line lists, changes, uploads and refuses, with the exit codes of the command line of nodes', async () => {
    const fleet = await fleetOn(await database());
    await fleet.beat(heartbeat({ name: 'Bar \u001b[31m' }));
    const listed = await run(fleet.url, ['nodes', 'filter=variant:wifi']);
    expect(listed).toMatchObject({ code: 0, err: '' });
    expect(listed.out).toMatch(/^id +name +site [^\n]*\n0a1b2c3d +Bar \[31m +– .*\ntotal 1\n$/s);
    const set = await run(fleet.url, ['--json', 'node', 'set', '0a1b2c3d', 'site=Graz', 'tags=["pilot"]', 'notes=7']);
    expect([set.code, set.err]).toEqual([1, expect.stringContaining('invalid_request')]);
    expect((await run(fleet.url, ['node', 'set', '0a1b2c3d', 'site=Graz', 'tags=["pilot"]'])).code).toBe(0);
    expect(JSON.parse((await run(fleet.url, ['--json', 'node', '0a1b2c3d'])).out)).toMatchObject({ site: 'Graz' });

    const image = join(folder(), 'wifi.img');
    writeFileSync(image, IMAGE);
    expect((await run(fleet.url, ['release', 'upload', image])).out).toContain('version: 0.2.0');
    const begun = ['rollout', 'start', 'variant=wifi', 'version=0.2.0', 'groups=["tag:pilot","100%"]'];
    expect((await run(fleet.url, begun)).out).toMatch(/state: running/);
    const skipped = await run(fleet.url, ['rollout', 'skip', '1', 'node=0a1b2c3d']);
    expect(skipped).toMatchObject({ code: 1, err: expect.stringContaining('nobody is left') });
    expect((await run(fleet.url, ['settings', 'set', 'keep.auditDays=30'])).code).toBe(0);
    expect((await fleet.call('GET', '/api/settings')).body.keep).toMatchObject({ auditDays: 30, changesDays: 366 });
    expect((await run(fleet.url, ['metrics'])).out).toContain('# TYPE');

    expect((await run(fleet.url, ['nodes'], 'wrong')).code).toBe(1);
    expect((await run('http://127.0.0.1:1', ['nodes'])).code).toBe(3);
    for (const wrong of [['node'], ['recipes', 'set', '/x']])
      expect([wrong, (await run(fleet.url, wrong)).code]).toEqual([wrong, 2]);
    expect((await run(fleet.url, ['nodes'], '')).err).toContain('TILLNODE_FLEET_TOKEN');
  });

  it('everything of a site is exported: its nodes with all that is stored of them, and of no other', async () => {
    const fleet = await fleetOn(await database());
    const at = async (id: string, site: string) => {
      await fleet.beat(heartbeat({ node: id }));
      await fleet.beat(heartbeat({ node: id, seq: 2, firmwareVersion: '0.1.1' }));
      await fleet.call('PUT', `/api/nodes/${id}`, { site });
    };
    await at('a1', 'Graz, Ring 3/2');
    await at('a2', 'Graz, Ring 3/2');
    await at('b1', 'Linz');
    const job = { type: 'command_result', commandId: 'r-1', endpoint: 'receipt', ok: true };
    expect((await fleet.webhook({ node: 'a1', seq: 1, uptimeMs: 60_000, event: job })).status).toBe(204);
    const { out, code } = await run(fleet.url, ['site', 'export', 'Graz, Ring 3/2']);
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(code).toBe(0);
    expect(lines[0]).toMatchObject({ kind: 'site', name: 'Graz, Ring 3/2', zone: 'UTC' });
    const of = (kind: string) => lines.filter((each) => each.kind === kind);
    expect(of('node').map(({ id }) => id)).toEqual(['a1', 'a2']);
    expect(of('transition').map(({ node, what }) => `${node} ${what}`)).toContain('a2 version');
    expect(of('event')).toMatchObject([{ node: 'a1', event: { commandId: 'r-1' } }]);
    expect(of('audit')).toHaveLength(2);
    expect(out).not.toMatch(/b1|Linz/);
    const reader = (await fleet.call('POST', '/api/tokens', { name: 'r', scope: 'read', days: 1 })).body.token;
    expect((await run(fleet.url, ['site', 'export', 'Linz'], reader)).code).toBe(1);
    expect((await run(fleet.url, ['site', 'export', 'Nowhere'])).code).toBe(1);
  });
});

describe('the command line', () => {
  it.each([
    [['node', 'a'], 'node ID', ['a']],
    [['node', 'hours', 'a'], 'node hours ID', ['a']],
    [['rollout', 'start', 'a=b'], 'rollout start', []],
    [['rollout', 'skip', '7', 'node=a'], 'rollout skip ID', ['7']],
    [['site', 'export'], 'site SITE', ['export']],
    [['rollout', 'a=b'], undefined, undefined],
    [['nods'], undefined, undefined],
    [[], undefined, undefined],
  ])('takes for a command, or for none: %j', (words, usage, parameters) => {
    const found = commandOf(words);
    expect([found?.command.usage, found?.parameters]).toEqual([usage, parameters]);
  });

  it('makes an object of pairs, whose values are JSON where they can be', () => {
    expect(objectOf(['a.b=1', 'a.c=x y', 'd="1"', 'e=', 'f=a=b', 'g=[1'])).toEqual({
      ...{ a: { b: 1, c: 'x y' }, d: '1', e: '', f: 'a=b', g: '[1' },
    });
    expect(objectOf(['constructor=1'])).toEqual({ constructor: 1 });
    for (const wrong of [['a'], ['=1'], ['a=1', 'a=2'], ['a=1', 'a.b=2'], ['__proto__.x=1']])
      expect(() => objectOf(wrong), wrong.join(' ')).toThrow(/KEY=VALUE|twice|within/);
  });
});
