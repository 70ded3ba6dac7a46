/** The built command line, driven as people and programs drive it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NodeClient } from '../../runtime/client/client.ts';
import { nowhere, serve } from '../client/server.ts';
import { type Given, runHere } from './in-process.ts';

const scratch = mkdtempSync(join(tmpdir(), 'tillnode-cli-'));
const children: Array<() => Promise<unknown>> = [];
let url = '';
let client: NodeClient;

function start(args: readonly string[]) {
  const child = spawn(process.execPath, ['dist/twin/cli.js', ...args], {
    env: { ...process.env, TILLNODE_URL: url },
  });
  const ended = once(child, 'close');
  children.push(() => {
    child.kill('SIGKILL');
    return ended;
  });
  return child;
}

/** Runs a command to its end, as most programs of the tests do: in this process. */
const run = (args: readonly string[], { input, env }: Given = {}) =>
  runHere(args, { ...(input !== undefined && { input }), env: { TILLNODE_URL: url, ...env } });

/** Runs it in a process of its own. */
async function runAlone(args: readonly string[], input = '') {
  const child = start(args);
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  return { code: code as number, out, err };
}

const file = (name: string, text: string): string => {
  const path = join(scratch, name);
  writeFileSync(path, text);
  return path;
};

beforeAll(async () => {
  const twin = start(['--port', '0', '--raw-port', '0', '--state', join(scratch, 'state')]);
  for await (const line of createInterface({ input: twin.stdout })) {
    if (!line.startsWith('ready ')) continue;
    url = line.slice('ready '.length);
    break;
  }
  client = new NodeClient({ url });
});
afterAll(async () => {
  await Promise.all(children.map((kill) => kill()));
  rmSync(scratch, { recursive: true, force: true });
});

describe('print', () => {
  it('prints an array of lines, and a whole command', async () => {
    const lines = await runAlone(['print', file('lines.json', '[{"type":"text","value":"Café"}]')]);
    expect(lines).toMatchObject({ code: 0, out: expect.stringMatching(/^accepted receipt [0-9a-f-]{36}\n$/), err: '' });
    const command = { type: 'print', id: 'slip-7', endpoint: 'receipt', lines: [{ type: 'text', value: 'Seven' }] };
    const whole = await runAlone(['print', '-', '--json'], JSON.stringify(command));
    expect(JSON.parse(whole.out)).toMatchObject({ ok: true, commandId: 'slip-7', outcome: 'accepted' });
    const paper = await client.twin.paper();
    expect([paper.includes('Café'), paper.includes('Seven')]).toEqual([true, true]);
  });

  it('tells a refusal in words and as JSON, with code 1', async () => {
    const { code, out, err } = await run(['print', '-', '--json'], { input: '[{"type":"hologram"}]' });
    expect([code, JSON.parse(out)]).toMatchObject([1, { ok: false, error: 'unsupported_line_type', status: 422 }]);
    expect(err).toMatch(
      /^tillnode: unsupported_line_type: .+\. Trying again does not help until the cause is removed\.\n$/,
    );
  });

  it.each([
    ['no JSON', '{"lines": ['],
    ['nothing to print', '{"type":"print"}'],
    ['no object', '7'],
    ['more than a node takes', `["${'x'.repeat(300_000)}"]`],
  ])('takes %s for a wrong call, with code 2', async (_, text) => {
    const { code, out, err } = await run(['print', '-'], { input: text });
    expect([code, out, err.startsWith('tillnode: -: ')]).toEqual([2, '', true]);
  });

  it('says that it may have printed, with code 4, and asks once', async () => {
    const broken = await serve((request) => request.socket.destroy());
    const { code, out, err } = await run(['print', '-', '--json', '--node', broken.url], { input: '[{"type":"cut"}]' });
    expect([code, JSON.parse(out).mayHavePrinted, broken.requests.length]).toEqual([4, true, 1]);
    expect(err).toContain('look at the paper before you send it again');
  });
});

describe('tillnode', () => {
  it('status says who the node is and how its devices are', async () => {
    const { code, out } = await run(['status']);
    expect(code).toBe(0);
    expect(out).toMatch(/^node-[0-9a-f]{8} at http:\/\/127\.0\.0\.1:\d+\ntwin \d/);
    expect(out).toMatch(/^receipt +printer +bound +\S/m);
    expect(out).toMatch(/^receipt: online, paper ok, cover closed, drawer (?:open|closed)$/m);
    const { identity } = JSON.parse((await run(['status', '--json'])).out) as { identity: { variant: string } };
    expect(identity.variant).toBe('twin');
  });

  it('jobs says who printed lately, and what came of it', async () => {
    await run(['print', '-'], { input: '[{"type":"hologram"}]' });
    const { code, out } = await run(['jobs']);
    expect(code).toBe(0);
    expect(out).toMatch(/^began +job +at +from +outcome +why +bytes +took +id$/m);
    expect(out).toMatch(
      /^\d\d:\d\d:\d\d +print +receipt +127\.0\.0\.1 +failed +unsupported_line_type +0 +\d+\.\d s +[0-9a-f-]{36}$/m,
    );
    const { jobs } = JSON.parse((await run(['jobs', '--json'])).out) as { jobs: Array<{ kind: string }> };
    expect(jobs[0]?.kind).toBe('print');
  });

  it('does once what is sent again with its --key', async () => {
    const [first, again] = [await run(['drawer', '--key', 'close-17']), await run(['drawer', '--key', 'close-17'])];
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(again).toEqual(first);
    const { jobs } = JSON.parse((await run(['jobs', '--json'])).out) as { jobs: Array<{ id?: string }> };
    expect(jobs.filter(({ id }) => id !== undefined && first.out.includes(id))).toHaveLength(1);
  });

  it('drawer kicks it', async () => {
    expect(await run(['drawer'])).toMatchObject({ code: 0, out: expect.stringMatching(/^kicked receipt /), err: '' });
  });

  it('watch gives one line of JSON for each event, and ends with code 0 on Ctrl-C', async () => {
    const child = start(['watch', '--json']);
    const lines = createInterface({ input: child.stdout });
    // The first comes of itself: the stream is open.
    await once(lines, 'line');
    const printed = (async () => {
      for await (const line of lines) if (line.includes('watched')) return JSON.parse(line) as object;
      return undefined;
    })();
    await client.print({ type: 'print', id: 'watched', endpoint: 'receipt', lines: [{ type: 'text', value: 'x' }] });
    expect(await printed).toMatchObject({ type: 'command_result', commandId: 'watched', endpoint: 'receipt' });
    child.kill('SIGINT');
    expect((await once(child, 'exit'))[0]).toBe(0);
  });
});

describe('every command', () => {
  it('says with code 3 that nobody is there', async () => {
    const { code, err } = await run(['status', '--node', await nowhere()]);
    expect([code, /^tillnode: unreachable: no response of a node/.test(err)]).toEqual([3, true]);
  });

  it.each([
    [['print']],
    [['status', 'more']],
    [['status', '--colour']],
    [['status', '--node', 'ftp://node']],
    [['status', '--node', 'http://user:secret@node']],
    [['status', '--timeout', '0']],
    [['status', '--timeout', 'soon']],
    [['frobnicate']],
    [['twin', '--port', 'x']],
  ])('%j is a wrong call: code 2, words on standard error alone', async (args) => {
    const { code, out, err } = await run(args);
    expect([code, out]).toEqual([2, '']);
    expect(err).not.toBe('');
    expect(err).not.toContain('secret');
  });

  it.each(['--port', '--raw-port', '--ipp-port'])(
    'says at once that %s is taken, by whom, and starts nothing',
    async (option) => {
      const { port } = new URL(url);
      const others = ['--port', '--raw-port', '--ipp-port'].filter((each) => each !== option);
      const free = others.flatMap((each) => [each, '0']);
      const { code, out, err } = await runAlone(['twin', option, port, ...free, '--state', join(scratch, 'second')]);
      expect([code, out]).toEqual([2, '']);
      const words = `^tillnode: 127\\.0\\.0\\.1:${port} is used by process (\\d+) \\(.+\\); choose another port with ${option} P\n$`;
      expect(err).toMatch(new RegExp(words));
      const [, holder] = new RegExp(words).exec(err) ?? [];
      expect(readFileSync(`/proc/${holder}/cmdline`, 'utf8').split('\0')).toContain(join(scratch, 'state'));
    },
    20_000,
  );

  it('starts no second node on one state folder, and says which process has it', async () => {
    const ports = ['--port', '0', '--raw-port', '0', '--ipp-port', '0'];
    const { code, out, err } = await runAlone(['twin', ...ports, '--state', join(scratch, 'state')]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^another process has .*\/state: process \d+ on [^\n]+\n$/);
    const [, holder] = /process (\d+)/.exec(err) ?? [];
    expect(readFileSync(`/proc/${holder}/cmdline`, 'utf8').split('\0')).toContain(join(scratch, 'state'));
  });

  it('says at once that it cannot listen on an address of another machine, and starts nothing', async () => {
    const ports = ['--port', '0', '--raw-port', '0', '--ipp-port', '0'];
    const { code, out, err } = await runAlone([
      'twin',
      '--host',
      '192.0.2.1',
      ...ports,
      '--state',
      join(scratch, 'third'),
    ]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toBe('--host 192.0.2.1 is not an address of this machine (EADDRNOTAVAIL)\n');
  });

  it('takes its options in front of it, too', async () => {
    const { code, out } = await run(['--node', url, '--json', 'status'], {
      env: { TILLNODE_URL: 'http://nowhere.invalid' },
    });
    expect([code, out.startsWith('{"identity"')]).toEqual([0, true]);
  });

  it('shows the API key of the environment, and never says it', async () => {
    const locked = await serve((_, response) => response.writeHead(401).end('{"ok":false,"error":"api_locked"}'));
    const { code, out, err } = await run(['drawer', '--json', '--node', locked.url], {
      env: { TILLNODE_API_KEY: 'the key of the till' },
    });
    expect([code, locked.requests[0]?.headers['x-node-api-key']]).toEqual([1, 'the key of the till']);
    expect(out + err).not.toContain('the key of the till');
  });

  it('lets nobody steer the terminal', async () => {
    const evil = '\u001b]0;owned\u0007\u009b31m\u202e';
    const device = { vendorId: evil, productId: evil, make: evil, model: evil, port: evil };
    const status = {
      ...(await client.status()),
      identity: { deviceId: evil, variant: evil, firmwareVersion: evil, slot: evil, endpoints: [] },
      peripherals: [{ endpoint: evil, kind: evil, condition: evil, device }],
      printers: [],
      error: evil,
    };
    const forged = await serve((_, response) => response.end(JSON.stringify(status)));
    const refusing = await serve((_, response) =>
      response.writeHead(409).end(`{"ok":false,"error":"x","detail":${JSON.stringify(evil)}}`),
    );
    for (const node of [forged, refusing]) {
      for (const args of [[], ['--json']]) {
        const { out, err } = await run(['status', '--node', node.url, ...args]);
        expect(out + err).toMatch(/owned/);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
        expect(out + err).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
      }
    }
  });

  it('--help names every command and exit code, --version the version', async () => {
    const { out } = await run(['--help']);
    for (const word of ['print FILE.json', 'drawer', 'status', 'watch', 'twin', '--node', '4 the outcome'])
      expect(out).toContain(word);
    expect((await run(['help'])).out).toBe(out);
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(await runAlone(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' });
  });
});
