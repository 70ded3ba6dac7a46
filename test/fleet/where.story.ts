/** What stands in runtime/fleet/deploy for a fleet of many: each file under the program of Debian that it is written for. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { makeImage } from '../made-images.ts';
import { until } from '../node.ts';
import { freePort } from '../ports.ts';
import { needTools } from '../tools.ts';
import { type callsOf, fleetOn, folder, heartbeat, KEYS, MASTER } from './fleet.ts';
import { noPostgres, type PostgresServer, startPostgres } from './postgres.ts';

const missing = noPostgres ?? needTools(['caddy', 'curl', 'nginx', 'openssl', 'pgbouncer']);
const DEPLOY = 'runtime/fleet/deploy';
const NAME = 'fleet.example.org';
const PASSWORD = 'correct horse battery';
/** Nearly the 64 MiB that an image may have. */
const LARGE = 66_000_000;

/** A file of the folder, with these words in the place of others; each must be there. */
function written(name: string, instead: Readonly<Record<string, string>>): string {
  let text = readFileSync(join(DEPLOY, name), 'utf8');
  for (const [word, other] of Object.entries(instead)) {
    expect(text).toContain(word);
    text = text.replaceAll(word, other);
  }
  return text;
}

/** Starts a program that ends with the test. */
function run(program: string, args: readonly string[], options: object = {}): ChildProcess {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await exit;
  });
  return child;
}

/** A key and a certificate for the name, in PEM. */
function certificate(at: string): { readonly key: string; readonly cert: string } {
  const [key, cert] = [join(at, 'key.pem'), join(at, 'cert.pem')];
  const subject = ['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`];
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  execFileSync('openssl', [...made, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' });
  return { key, cert };
}

/** A request by curl(1) to the name, as its certificate proves it: status, header fields, body. */
async function ask(port: number, ca: string, path: string, ...args: string[]) {
  const to = ['--resolve', `${NAME}:${port}:127.0.0.1`, '--cacert', ca, `https://${NAME}:${port}${path}`];
  const { stdout } = await promisify(execFile)('curl', ['-sS', '-i', '--http1.1', '-H', 'Expect:', ...to, ...args], {
    encoding: 'latin1',
  });
  const [head = '', ...body] = stdout.split('\r\n\r\n');
  return { status: Number(/^HTTP\/\S+ (\d+)/.exec(head)?.[1]), head, body: body.join('\r\n\r\n') };
}

/** What a proxy with a certificate must keep of what a fleet promises. */
async function isRight(port: number, ca: string, fleet: ReturnType<typeof callsOf>): Promise<void> {
  const bearer = ['-H', `Authorization: Bearer ${MASTER}`];
  const send = (body: object) => [...bearer, '--data-binary', JSON.stringify(body)];
  const answers = () =>
    ask(port, ca, '/api/session', '--max-time', '5').then(
      ({ status }) => status,
      () => 0,
    );
  await until(answers, (status) => status === 200);
  const spoofed = ['-H', 'X-Forwarded-For: 203.0.113.9', '-H', 'X-Forwarded-Proto: http'];
  expect((await ask(port, ca, '/heartbeat', ...send(heartbeat()), ...spoofed)).status).toBe(204);
  expect((await fleet.call('GET', '/api/nodes/0a1b2c3d')).body).toMatchObject({ address: '127.0.0.1', heartbeats: 1 });
  // A person is signed in by HTTPS alone, and the page is its own.
  expect((await fleet.call('PUT', '/api/password', { password: PASSWORD })).status).toBe(200);
  const password = ['--data-binary', JSON.stringify({ password: PASSWORD })];
  const own = ['-H', `Origin: https://${NAME}:${port}`, ...spoofed, ...password];
  const signedIn = await ask(port, ca, '/api/session', ...own);
  expect(signedIn.status).toBe(200);
  expect(signedIn.head).toMatch(/^set-cookie:.*; secure/im);
  const elsewhere = ['-H', 'Origin: https://elsewhere.example', ...password];
  expect((await ask(port, ca, '/api/session', ...elsewhere)).status).toBe(403);
  // Nearly the largest image that there may be goes through, and what is none is told so by the fleet itself.
  expect((await fleet.call('PUT', '/api/settings', { firmware: { keys: KEYS } })).status).toBe(200);
  const image = join(folder(), 'image');
  for (const [bytes, status] of [
    [makeImage({ variant: 'wifi', version: '0.2.0', bytes: LARGE }), 200],
    [Buffer.alloc(LARGE, 1), 422],
  ] as const) {
    writeFileSync(image, bytes);
    const answer = await ask(port, ca, '/api/releases', ...bearer, '--data-binary', `@${image}`);
    expect([answer.status, JSON.parse(answer.body)]).toEqual([status, expect.any(Object)]);
  }
  expect((await fleet.call('GET', '/api/nodes')).body.total).toBe(1);
}

/** A download that has no place is told so by the fleet itself, and messages come in all the same, however many are told. */
async function isOpenBesideDownloads(port: number, ca: string, fleets: readonly ReturnType<typeof callsOf>[]) {
  const bearer = ['-H', `Authorization: Bearer ${MASTER}`];
  const [release] = (await fleets[0]!.call('GET', '/api/releases')).body.releases;
  const path = `/firmware/${release.sha256}`;
  // These take all places of the address, and read nothing of their images.
  const holding = fleets.flatMap(({ url }) => Array.from({ length: 4 }, () => get(`${url}${path}`)));
  const held = holding.map(async (request) => (await once(request, 'response'))[0].statusCode);
  expect(new Set(await Promise.all(held))).toEqual(new Set([200]));
  for (let seq = 1; seq <= 10; seq += 1) {
    const refused = await ask(port, ca, path);
    expect([refused.status, refused.head]).toEqual([503, expect.stringMatching(/^retry-after: \d+\r?$/im)]);
    const beat = JSON.stringify(heartbeat({ node: 'beside', seq, uptimeSeconds: 60 + seq }));
    expect((await ask(port, ca, '/heartbeat', ...bearer, '--data-binary', beat)).status).toBe(204);
  }
  for (const request of holding) request.destroy();
}

describe.skipIf(missing !== undefined)(missing ?? 'a fleet', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  it('is behind nginx by nginx.conf, and where one of two processes ends, the other answers', async () => {
    const where = { url: await server.database() };
    const [first, second] = [await fleetOn(where, { behindProxy: true }), await fleetOn(where, { behindProxy: true })];
    const port = await freePort();
    const at = folder();
    chmodSync(at, 0o755);
    const { key, cert } = certificate(at);
    const site = written('nginx.conf', {
      'server 127.0.0.1:8090 max_fails=0;': [second, first]
        .map(({ url }) => `server ${new URL(url).host} max_fails=0;`)
        .join('\n'),
      'listen 443': `listen 127.0.0.1:${port}`,
      '/etc/letsencrypt/live/fleet.example.org/fullchain.pem': cert,
      '/etc/letsencrypt/live/fleet.example.org/privkey.pem': key,
    });
    writeFileSync(join(at, 'site.conf'), site);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (each) => `${each}_temp_path ${at}/${each};`,
    );
    writeFileSync(
      join(at, 'nginx.conf'),
      `daemon off; pid ${at}/pid; error_log stderr crit; events {} http { access_log off; ${temporary.join(' ')} include ${at}/site.conf; }`,
    );
    run('nginx', ['-p', at, '-c', join(at, 'nginx.conf')]);
    await isRight(port, cert, first);
    await isOpenBesideDownloads(port, cert, [first, second]);
    await second.stop();
    const beats = Array.from({ length: 20 }, (_, at) => heartbeat({ seq: 2 + at, uptimeSeconds: 70 + at }));
    const sent = beats.map((beat) => ['-H', `Authorization: Bearer ${MASTER}`, '--data-binary', JSON.stringify(beat)]);
    for (const args of sent) expect((await ask(port, cert, '/heartbeat', ...args)).status).toBe(204);
    expect((await first.call('GET', '/api/nodes/0a1b2c3d')).body.heartbeats).toBe(21);
  });

  it('is behind Caddy by Caddyfile', async () => {
    const fleet = await fleetOn({ url: await server.database() }, { behindProxy: true });
    const port = await freePort();
    const at = folder();
    const { key, cert } = certificate(at);
    // A certificate of this machine's in the place of one that is fetched, and no port of Caddy's own.
    const own = written('Caddyfile', { '\trequest_body {': `\ttls ${cert} ${key}\n\trequest_body {` });
    const options = `{\n\tadmin off\n\thttp_port ${await freePort()}\n\thttps_port ${port}\n\tdefault_bind 127.0.0.1\n\tauto_https disable_redirects\n}\n`;
    writeFileSync(join(at, 'Caddyfile'), options + own);
    const env = { ...process.env, HOME: at, XDG_DATA_HOME: at, XDG_CONFIG_HOME: at };
    run('caddy', ['run', '--adapter', 'caddyfile', '--config', join(at, 'Caddyfile')], {
      env: { ...env, FLEET_PROCESSES: new URL(fleet.url).host, FLEET_NAME: NAME },
      stdio: 'ignore',
    });
    await isRight(port, cert, fleet);
    await isOpenBesideDownloads(port, cert, [fleet]);
  });

  it('uses PgBouncer in its transaction mode by pgbouncer.ini', async () => {
    const { pathname, port: direct } = new URL(await server.database());
    const port = await freePort();
    const at = folder();
    const ini = written('pgbouncer.ini', {
      'fleet = host=127.0.0.1 port=5432': `${pathname.slice(1)} = host=127.0.0.1 port=${direct} user=postgres`,
      'listen_port = 6432': `listen_port = ${port}`,
      'auth_type = scram-sha-256': 'auth_type = any\nunix_socket_dir =',
      'auth_file = /etc/pgbouncer/userlist.txt': '',
      'default_pool_size = 16': 'default_pool_size = 3',
    });
    // Fifteen seconds, unless it says so, in which a log-in that failed has all refused.
    expect(ini).toContain('\nserver_login_retry = 1\n');
    writeFileSync(join(at, 'pgbouncer.ini'), ini);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) {
      const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres']).toString());
      chownSync(at, id('-u'), id('-g'));
      chmodSync(join(at, 'pgbouncer.ini'), 0o644);
    }
    run('pgbouncer', ['-q', ...(isRoot ? ['-u', 'postgres'] : []), join(at, 'pgbouncer.ini')]);
    const where = { url: `postgres://postgres@127.0.0.1:${port}${pathname}` };
    let open = false;
    while (!open)
      open = await fleetOn(where)
        .then(() => true)
        .catch(() => false);
    const fleets = [await fleetOn(where), await fleetOn(where), await fleetOn(where)];
    const beats = Array.from({ length: 200 }, (_, at) =>
      heartbeat({ node: `node-${at % 20}`, seq: 1 + Math.floor(at / 20), uptimeSeconds: at }),
    );
    // More at once than there are connections to the server.
    const sent = await Promise.all(beats.map((beat, at) => fleets[at % 3]!.beat(beat)));
    expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([204]));
    const fleet = fleets[0]!;
    expect((await fleet.call('PUT', '/api/settings', { rules: { offline: { afterSeconds: 1 } } })).status).toBe(200);
    // What looks every two seconds does so through it, too.
    const alerts = async () => (await fleet.call('GET', '/api/alerts?open=true')).body.alerts.length;
    await until(alerts, (count) => count > 0);
    expect((await fleet.call('GET', '/api/nodes')).body).toMatchObject({ total: 20 });
  });

  it('goes on with its replica where the server is lost, with all that it had answered', async () => {
    const primary = await startPostgres();
    onTestFinished(() => primary.stop());
    const { pathname, port } = new URL(await primary.database());
    const replica = await primary.replica();
    onTestFinished(() => replica.stop());
    const where = { url: `postgres://postgres@127.0.0.1:${port},127.0.0.1:${replica.port}${pathname}` };
    const fleet = await fleetOn(where);
    const answered = { before: 0, after: 0 };
    let [seq, phase, isOver]: [number, 'before' | 'after', boolean] = [0, 'before', false];
    const sending = (async () => {
      for (seq = 1; !isOver; ) {
        const { status } = await fleet.beat(heartbeat({ seq, uptimeSeconds: seq }));
        if (status !== 204) continue;
        answered[phase] += 1;
        seq += 1;
      }
    })();
    await until(() => answered.before > 50);
    await primary.kill();
    phase = 'after';
    replica.promote();
    await until(() => answered.after > 50);
    isOver = true;
    await sending;
    const { heartbeats } = (await fleet.call('GET', '/api/nodes/0a1b2c3d')).body;
    expect(heartbeats).toBe(answered.before + answered.after);
  });
});
