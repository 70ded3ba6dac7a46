/** The folder that a machine gets: started as its documents say, without this tree beside it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { callsOf, folder, heartbeat } from './fleet.ts';

/** Starts it; resolves with its URL once it says that it is ready. */
async function start(home: string, args: readonly string[], env: Record<string, string>) {
  const child: ChildProcess = spawn(process.execPath, [join(home, 'fleet.mjs'), '--port', '0', ...args], {
    cwd: home,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exit = once(child, 'exit');
  const ready = once(createInterface({ input: child.stdout ?? process.stdin }), 'line').then(
    ([line]) => /^ready (http:\S+)$/.exec(line)?.[1],
  );
  const url = await Promise.race([ready, exit.then(() => undefined)]);
  return { url, said: () => said, exit, kill: (signal: NodeJS.Signals) => child.kill(signal) };
}

const program = join(mkdtempSync(join(tmpdir(), 'tillnode-fleet-')), 'fleet');
beforeAll(() => void execFileSync('npm', ['run', '-s', 'fleet:bundle', '--', program]));
afterAll(() => rmSync(dirname(program), { recursive: true }));

it('the bundle answers, survives a kill with all that it had answered, and ends in order', async () => {
  const data = join(folder(), 'data');
  expect(readFileSync(join(program, 'licenses.txt'), 'utf8')).toContain('== koa ');
  expect(existsSync(join(program, 'node_modules/@electric-sql/pglite/LICENSE'))).toBe(true);
  for (const name of ['preact', 'aws4fetch', 'otpauth'])
    expect(readFileSync(join(program, 'licenses.txt'), 'utf8')).toContain(`== ${name} `);

  const first = await start(program, ['--data', data], { FLEET_TOKEN: 'sesame' });
  const fleet = callsOf(first.url ?? expect.fail(), 'sesame');
  expect(await (await fetch(`${first.url}/`)).text()).toContain('<title>tillnode fleet</title>');
  const row = { id: 'a', vendorId: 'abcd', productId: '0001', model: 'A', kind: 'printer', codec: 'escpos' };
  const text = JSON.stringify({ maker: 'Acme', rows: [{ ...row, options: { columns: 0 } }] });
  expect((await fleet.call('POST', '/api/recipes/check', { text })).body.faults).toMatchObject([
    { field: 'options.columns' },
  ]);
  let answered = 0;
  const beats = Array.from({ length: 50 }, (_, at) =>
    fleet.beat(heartbeat({ seq: 1 + at, uptimeSeconds: at })).then(
      ({ status }) => {
        if (status === 204) answered += 1;
        if (answered === 20) first.kill('SIGKILL');
      },
      () => {},
    ),
  );
  await Promise.all(beats);
  await first.exit;
  const second = await start(program, ['--data', data], { FLEET_TOKEN: 'sesame' });
  const again = callsOf(second.url ?? expect.fail(), 'sesame');
  const stored = async () => (await again.call('GET', '/api/nodes')).body.nodes[0].heartbeats;
  expect(await stored()).toBeGreaterThanOrEqual(answered);
  // What was not answered comes again, as a careful node would send it, and counts once.
  for (let seq = 20; seq <= 50; seq += 1) await again.beat(heartbeat({ seq, uptimeSeconds: seq }));
  for (let seq = 20; seq <= 50; seq += 1) await again.beat(heartbeat({ seq, uptimeSeconds: seq }));
  expect(await stored()).toBeLessThanOrEqual(50);
  second.kill('SIGTERM');
  expect(await second.exit).toEqual([0, null]);
});

it.each([
  ['no token', [], {}, '--token is needed'],
  ['a port that is none', ['--port', 'x'], { FLEET_TOKEN: 't' }, '--port is not a port'],
  ['a database that is none', ['--database', 'mysql://a'], { FLEET_TOKEN: 't' }, '--database is not postgres://'],
  [
    'a bucket that is none',
    [],
    { FLEET_TOKEN: 't', FLEET_BUCKET: 'images' },
    'FLEET_BUCKET (--bucket) is not the https://',
  ],
  ['a bucket without a key', ['--bucket', 'https://s3.example/a'], { FLEET_TOKEN: 't' }, 'AWS_ACCESS_KEY_ID is needed'],
  ['an option that it does not know', ['--colour', 'red'], { FLEET_TOKEN: 't' }, 'usage: npm run fleet'],
])('a start with %s is told what is wrong, and how it is done', async (_what, args, env, says) => {
  const { said, exit } = await start(program, args, env);
  expect((await exit)[0]).toBe(1);
  expect(said()).toContain(says);
});
