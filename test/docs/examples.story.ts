/** The examples of eight languages, each run by what Debian has for it, against a twin: every one does what the others do. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request as requestOf } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { type PrintingNode, startPrintingNode, until } from '../node.ts';
import { twinPlugins } from '../plugins.ts';
import { freePort } from '../ports.ts';
import { needTools } from '../tools.ts';

const FOLDER = resolve('.github/examples');
const SECRET = 'open-sesame-0123456789';
const built = mkdtempSync(join(tmpdir(), 'tillnode-examples-'));
afterAll(() => rmSync(built, { recursive: true, force: true }));

interface Example {
  readonly file: string;
  readonly tools: readonly string[];
  /** Compiles it, where that is a step of its own. */
  readonly build?: readonly string[];
  /** What runs it, before its arguments; by default that and its path. */
  readonly run: readonly string[];
  /** What receives events on this port. */
  readonly receive?: (port: number) => readonly string[];
}

const at = (name: string) => join(FOLDER, name);
const EXAMPLES: readonly Example[] = [
  { file: 'till.py', tools: ['python3'], run: ['python3', at('till.py')] },
  { file: 'till.rb', tools: ['ruby'], run: ['ruby', at('till.rb')] },
  {
    ...{ file: 'till.php', tools: ['php'], run: ['php', at('till.php')] },
    receive: (port) => ['php', '-S', `127.0.0.1:${port}`, at('till.php')],
  },
  { file: 'till.mjs', tools: [], run: [process.execPath, at('till.mjs')] },
  {
    ...{ file: 'till.go', tools: ['go'], run: [join(built, 'till')] },
    build: ['go', 'build', '-o', join(built, 'till'), at('till.go')],
  },
  {
    ...{ file: 'Till.java', tools: ['java', 'javac'], run: ['java', '-cp', built, 'Till'] },
    build: ['javac', '-d', built, at('Till.java')],
  },
  {
    ...{
      file: 'Till.cs',
      tools: ['mcs', 'mono', '/usr/lib/mono/4.5/System.Net.Http.dll'],
      run: ['mono', join(built, 'Till.exe')],
    },
    build: ['mcs', '-r:System.Net.Http', `-out:${join(built, 'Till.exe')}`, at('Till.cs')],
  },
  { file: 'till.sh', tools: ['curl', 'openssl', 'sed'], run: ['sh', at('till.sh')] },
];

const BUILD = { ...process.env, GOCACHE: join(built, 'go'), GO111MODULE: 'off' };

/** Runs it until it ends, or the test does. */
function start([program = '', ...args]: readonly string[], url: string, more: Readonly<Record<string, string>> = {}) {
  const env = { ...process.env, NODE: url, SECRET, ...more };
  const child: ChildProcess = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function outputOf(command: readonly string[], url: string): Promise<Record<string, unknown>> {
  const child = start(command, url);
  return JSON.parse(await text(child.stdout ?? expect.fail())) as Record<string, unknown>;
}

/** The lines that it prints, as they come. */
function linesOf(child: ChildProcess): string[] {
  const lines: string[] = [];
  createInterface({ input: child.stdout ?? expect.fail() }).on('line', (line) => lines.push(line));
  return lines;
}

/** What stands before a node and loses the answer to the first POST: the node has done what was asked. */
async function losesOneAnswer(url: string): Promise<string> {
  let lost = false;
  const server = createServer(async (request, response) => {
    const { method, url: path = '', headers } = request;
    const body = await text(request);
    const asked = requestOf(`${url}${path}`, {
      method,
      headers: { ...headers, host: new URL(url).host },
      agent: false,
    });
    const [answer] = await Promise.all([once(asked, 'response'), asked.end(body)]);
    const [{ statusCode }] = answer;
    const said = await text(answer[0]);
    if (method === 'POST' && !lost) {
      lost = true;
      response.destroy();
    } else response.writeHead(statusCode, { 'Content-Type': 'application/json', Connection: 'close' }).end(said);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function twin(): Promise<PrintingNode> {
  const node = await startPrintingNode({}, twinPlugins);
  onTestFinished(() => node.stop());
  return node;
}
const timesOn = async ({ url }: PrintingNode, what: string) =>
  (await (await fetch(`${url}/twin/paper.txt`)).text()).split(what).length - 1;

describe.each(EXAMPLES)('$file', ({ tools, build, run, receive, file }) => {
  const missing = needTools(tools);
  it.skipIf(missing)('prints, opens the drawer, and reads the status', { timeout: 120_000 }, async () => {
    if (build !== undefined) execFileSync(build[0] ?? '', build.slice(1), { env: BUILD });
    const node = await twin();
    expect(await outputOf([...run, 'print', `It says "${file}"`], node.url)).toMatchObject({ ok: true });
    expect(await timesOn(node, `It says "${file}"`)).toBe(1);
    expect(await outputOf([...run, 'kick'], node.url)).toMatchObject({ ok: true, endpoint: 'receipt' });
    expect(await outputOf([...run, 'status'], node.url)).toMatchObject({ online: true });
  });

  it.skipIf(missing)('prints once where the answer was lost', { timeout: 60_000 }, async () => {
    const node = await twin();
    const command = [...run, 'print', 'Only once'];
    expect(await outputOf(command, await losesOneAnswer(node.url))).toMatchObject({ ok: true });
    expect(await timesOn(node, 'Only once')).toBe(1);
  });

  it.skipIf(missing)('follows the events', { timeout: 60_000 }, async () => {
    const node = await twin();
    const lines = linesOf(start([...run, 'events'], node.url));
    await until(async () => {
      await node.print([{ type: 'text', value: 'Hello' }]);
      return lines.length > 0;
    });
    expect(lines.map((line) => JSON.parse(line).type)).toContain('command_result');
  });

  it.skipIf(missing)(
    'takes the messages of a webhook from the node, and from nobody else',
    { timeout: 60_000 },
    async () => {
      const node = await twin();
      if (file === 'till.sh') return isTakenByShell(run, node.url);
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/`;
      const lines = linesOf(start(receive?.(port) ?? [...run, 'receive'], node.url, { PORT: `${port}` }));
      const forged = {
        method: 'POST',
        body: '{"forged":1}',
        headers: { 'X-NODE-Signature': `sha256=${'0'.repeat(64)}` },
      };
      await until(async () => (await fetch(url, forged).catch(() => undefined))?.status === 401);
      await node.send('PUT', '/config', { webhook: { url, secret: SECRET, events: ['command_result'] } });
      await node.print([{ type: 'text', value: 'Hello' }]);
      const message = await until(() => lines.find((line) => line.includes('command_result')));
      expect(JSON.parse(message ?? '')).toMatchObject({ event: { type: 'command_result', ok: true } });
      expect(lines.join()).not.toContain('forged');
    },
  );
});

async function isTakenByShell(run: readonly string[], url: string): Promise<void> {
  const body = '{"event":{}}';
  const { createHmac } = await import('node:crypto');
  const told = async (signature: string) => {
    const child = start([...run, 'receive', signature], url);
    child.stdin?.end(body);
    return text(child.stdout ?? expect.fail());
  };
  expect(await told(`sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`)).toBe(`${body}\n`);
  expect(await told(`sha256=${'0'.repeat(64)}`)).toBe('');
}
