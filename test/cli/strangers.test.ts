/** The built command line where the node is none, where its output cannot be written, and where it is called wrongly. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { proxyOf } from '../../runtime/cli/command.ts';
import { nowhere, serve } from '../client/server.ts';
import { runHere } from './in-process.ts';

const scratch = mkdtempSync(join(tmpdir(), 'tillnode-strangers-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const file = (name: string, content: string | Uint8Array): string => {
  const path = join(scratch, name);
  writeFileSync(path, content);
  return path;
};
const RECEIPT = file('receipt.json', '[{"type":"cut"}]');
const IMAGE = file('some.img', 'an image');

/** In a process of its own. */
async function run(args: readonly string[], stdout: 'pipe' | number = 'pipe') {
  const child = spawn(process.execPath, ['dist/twin/cli.js', ...args], { stdio: ['ignore', stdout, 'pipe'] });
  const said = child.stdout === null ? '' : text(child.stdout);
  const [out, err, [code]] = await Promise.all([said, text(child.stderr!), once(child, 'close')]);
  return { code: code as number, out, err };
}

/** What servers of all kinds answer, whatever they are asked. */
const ANSWERS: Readonly<Record<string, readonly [status: number, body: string]>> = {
  object: [200, '{}'],
  page: [200, '<!doctype html><title>Log in</title>'],
  other: [200, '{"ok":true,"identity":{},"jobs":[{}],"boots":[null],"scans":[{"value":1}],"status":7,"config":null}'],
  error: [404, '{"error":"Not Found"}'],
};
const HELP = execFileSync(process.execPath, ['dist/twin/cli.js', 'help'], { encoding: 'utf8' });
/** Commands, without those of rooms that are left out. */
const COMMANDS = [
  ['status'],
  ['jobs'],
  ['log'],
  ['capture'],
  ['name'],
  ['name', 'Till 1'],
  ['config'],
  ['config', 'drawer.pin'],
  ['config', 'drawer.pin', '5'],
  ['scan'],
  ['scale'],
  ['camera', join(scratch, 'frame.jpg')],
  ['update', IMAGE],
  ['watch'],
].filter(([name]) => new RegExp(`^  ${name}\\b`, 'm').test(HELP));

describe('a server that is no node', () => {
  it('is told by one line where it answers with a list', async () => {
    const stranger = await serve((_request, response) => response.end('[]'));
    const { code, out, err } = await runHere(['config', '--node', stranger.url]);
    expect([code, out, err]).toEqual([3, '', expect.stringContaining(`${stranger.url} is not a tillnode node`)]);
  });

  it.each(COMMANDS.map((args) => [args.join(' '), args] as const))('is told by one line: %s', async (_, args) => {
    for (const [name, [status, body]] of Object.entries(ANSWERS)) {
      const stranger = await serve((_request, response) => response.writeHead(status).end(body));
      const { code, out, err } = await runHere([...args, '--node', stranger.url]);
      expect([name, code, out]).toEqual([name, 3, '']);
      expect(err).toMatch(new RegExp(`^tillnode: ${stranger.url} is not a tillnode node [^\\n]*\\n$`));
    }
  });

  it.each([
    ['print', ['print', RECEIPT]],
    ['drawer', ['drawer']],
  ])('may stand before a node that did it: %s', async (_, args) => {
    for (const [name, [status, body]] of Object.entries(ANSWERS)) {
      const stranger = await serve((_request, response) => response.writeHead(status).end(body));
      const { code, out, err } = await runHere([...args, '--node', stranger.url]);
      expect([name, code, out]).toEqual([name, 4, '']);
      expect(err).toMatch(/^tillnode: \S+ is not a tillnode node [^\n]*It may have printed: [^\n]*\n$/);
    }
  });
});

describe('standard output', () => {
  it('that cannot be written is told by one line and an exit code', async () => {
    const { url } = await serve((_, response) => response.end('{"jobs":[]}'));
    const full = openSync('/dev/full', 'w');
    for (const args of [['jobs', '--node', url], ['jobs', '--json', '--node', url], ['help']]) {
      const { code, err } = await run(args, full);
      expect([args[0], code, err]).toEqual([
        args[0],
        2,
        expect.stringMatching(/^tillnode: standard output: ENOSPC.*\n$/),
      ]);
    }
    closeSync(full);
  });

  it('whose reader has gone is the end, without a word', async () => {
    const child = spawn(process.execPath, ['dist/twin/cli.js', 'help'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect([code, err]).toEqual([0, '']);
  });
});

describe('a wrong call is told by one line', () => {
  it.each([
    [['frobnicate'], /^tillnode: there is no command "frobnicate"; .*\n$/],
    [['help', 'frobnicate'], /^tillnode: there is no command "frobnicate"; .*\n$/],
    [
      ['print', file('latin1.json', Buffer.from('[{"type":"text","value":"Caf\xe9"}]', 'latin1'))],
      /: the text is not UTF-8\n$/,
    ],
    [['build', '--with', '/nowhere'], /^\/nowhere: no room, as it has no index\.ts\n$/],
    [['new', 'plugin', 'No'], /^No: a name is 2 to 20 lower-case letters/],
    // As Node reads arguments that are not.
    [['name', 'Caf\ufffd'], /^tillnode: an argument is not UTF-8\n$/],
  ])('%j', async (args, words) => {
    expect(await run(args)).toEqual({ code: 2, out: '', err: expect.stringMatching(words) });
  });
});

describe('the help of', () => {
  it.each([
    [
      'print',
      /^usage: tillnode print FILE\.json .*\[--image VALUE\].*\n\n {2}print a print command.*\n {2}--image FILE/s,
    ],
    ['status', /^usage: tillnode status \[--node NODE\]/],
    ['twin', /^usage: tillnode \[twin\] \[--host H\] .*\[--state DIR\]/],
    ['pull', /^usage: tillnode pull --server URL/],
    ['new', /^usage: tillnode new plugin NAME(?!.*build)/s],
    ['build', /^usage: tillnode build --with DIR(?!.*tillnode new)/s],
  ])('%s is its own, whichever way it is asked for', async (name, words) => {
    const said = await run([name, '--help']);
    expect(said).toEqual({ code: 0, out: expect.stringMatching(words), err: '' });
    expect(await run(['help', name])).toEqual(said);
  });
});

describe('the advice', () => {
  it('is to try again where nobody answers, and not where fetch asks nobody', async () => {
    const nobody = await runHere(['status', '--node', await nowhere()]);
    expect([nobody.code, nobody.err]).toEqual([
      3,
      expect.stringMatching(/^tillnode: unreachable: .*\. Try again in a moment\.\n$/),
    ]);
    for (const args of [['status'], ['print', RECEIPT]]) {
      const { code, err } = await runHere([...args, '--node', '127.0.0.1:22']);
      expect([code, err]).toEqual([
        3,
        expect.stringMatching(/^tillnode: unreachable: .*\(bad port\)\. Trying again does not help.*\n$/),
      ]);
    }
  });
});

it('what completes in a shell has the options of every command, and of the programs beside', async () => {
  const { out } = await run(['completion']);
  const words = (name: string) => new RegExp(`^ +${name}\\) words='(.*)'`, 'm').exec(out)?.[1]?.split(' ');
  expect(words('print')).toEqual(expect.arrayContaining(['--image', '--json']));
  expect(words('twin')).toEqual(expect.arrayContaining(['--raw-port', '--ipp-port', '--state']));
  expect(words('pull')).toEqual(expect.arrayContaining(['--server', '--allow-drawer', '--config']));
  expect(words('new')).toEqual(expect.arrayContaining(['plugin', '--out']));
  expect(words('build')).toEqual(expect.arrayContaining(['--with', '--variant', '--key']));
});

it.each([
  [{ NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://me:secret@proxy.example:3128' }, 'http://proxy.example:3128'],
  [{ NODE_OPTIONS: '--use-env-proxy', http_proxy: 'http://proxy.example' }, 'http://proxy.example'],
  [{ HTTP_PROXY: 'http://proxy.example' }, undefined],
  [{ NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://proxy.example', no_proxy: 'a, till.local' }, undefined],
  [{ NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: 'http://proxy.example' }, undefined],
])('the proxy that Node asks in place of the node, of %j', (env, proxy) => {
  expect(proxyOf(new URL('http://till.local:8080'), env, true)).toBe(proxy);
  expect(proxyOf(new URL('http://till.local:8080'), env, false)).toBeUndefined();
});
