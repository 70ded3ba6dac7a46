/**
 * Every block of commands that stands in a document is run, in the order of the document, against a twin of its own; with
 * DOCS_TWICE=yes each twice in a row.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../ports.ts';
import { EVERYWHERE, needTools } from '../tools.ts';
import { cloneIn } from './clone.ts';
import { type Block, blocksOf, documents, programsIn, run } from './commands.ts';

/** Somebody pastes a block again: each night every one of them, else the first time alone. */
const TIMES = process.env['DOCS_TWICE'] === 'yes' ? ['what they say', 'the same once more'] : ['what they say'];

/** What CI does anyway, takes hours, or is for another machine or a cluster: the lab installs the package. */
const ELSEWHERE =
  /^(npm (ci|test|pack|install)|npm run (-s (build|typecheck)|bench|lab|disk|fleet:simulate)|npx (biome|vitest)|\.ci\/run|sudo|dpkg|apt-get|systemctl|kubectl|helm)\b/;
/** A program that goes on until it is ended. */
const SERVER = /^npm run fleet\b/;
/** Answers of one line each; a stream ends after a moment; a node that restarts is asked again. */
const PRELUDE = `curl() {
  case " $* " in *" -N "*) command curl -sS --max-time 2 "$@" || [ $? = 28 ];; *) command curl -sS --max-time 20 --retry 9 --retry-all-errors "$@"; echo;; esac
}`;

/** Needs an image with the row that it adds: test/assembly/own-row.story.ts builds that. */
const isElsewhere = ({ document, section }: Block) => document === 'README.md' && section === 'Add a device';

/** Leaders of process groups: a program may have started others. */
const programs: number[] = [];
const parent = mkdtempSync(join(tmpdir(), 'tillnode-docs-'));
let directory = '';

/** Starts a program that goes on, and resolves once it has said that it is ready. */
async function start(command: string, args: readonly string[], ready: RegExp): Promise<ChildProcess> {
  const child = spawn(command, [...args], { cwd: directory, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  if (child.pid !== undefined) programs.push(child.pid);
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => ready.test(line) && resolve());
    child.once('exit', (code) => reject(new Error(`${command} ${args.join(' ')} ended with ${code}`)));
  });
  return child;
}

/** Ends a program and what it has started, as Ctrl+C does. */
async function end(child: ChildProcess): Promise<void> {
  programs.splice(programs.indexOf(child.pid ?? 0), 1);
  const closed = once(child, 'close');
  process.kill(-(child.pid ?? 0), 'SIGTERM');
  await closed;
}

beforeAll(() => {
  directory = cloneIn(parent);
  // What documents name, and no image that another test makes at the same time.
  for (const name of ['client', 'plugin', 'twin', 'wifi'])
    cpSync(join('dist', name), join(directory, 'dist', name), { recursive: true });
});
afterAll(() => {
  for (const leader of programs) process.kill(-leader, 'SIGTERM');
  rmSync(parent, { recursive: true, force: true });
});

// The commands of the room from outside are for an image that has it: test/assembly/third-party.test.ts.
const withCommands = documents().filter(
  (document) => blocksOf(document, 'sh').length > 0 && !document.startsWith('test/third-party/'),
);

const runsHere = (line: string) => !ELSEWHERE.test(line);
const called = withCommands
  .flatMap((document) => blocksOf(document, 'sh'))
  .flatMap(({ text }) => programsIn(text.split('\n').filter(runsHere).join('\n')));
// `bash` and `timeout` run them.
const wanted = new Set(['bash', 'timeout', ...called]);
const missing = needTools([...wanted].filter((program) => !EVERYWHERE.includes(program)));

describe.skipIf(missing).each(withCommands)(`the commands of %s${missing ? `: ${missing}` : ''}`, (document) => {
  let here = (text: string) => text;
  beforeAll(async () => {
    const [port, rawPort, fleetPort] = [await freePort(), await freePort(), await freePort()];
    const state = mkdtempSync(join(directory, 'state-'));
    const options = ['--port', `${port}`, '--raw-port', `${rawPort}`, '--state', state];
    await start(process.execPath, ['dist/twin/launcher.js', ...options], /^raw /);
    here = (text) =>
      text
        .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
        .replaceAll('127.0.0.1/9100', `127.0.0.1/${rawPort}`)
        .replaceAll('127.0.0.1:8090', `127.0.0.1:${fleetPort}`)
        .replace(/^npm run fleet -- /, `$&--port ${fleetPort} `);
  });

  const blocks = blocksOf(document, 'sh').filter((block) => !isElsewhere(block));
  describe.each(blocks.map((block) => [block.line, block.text] as const))('from line %i on', (_, text) => {
    const servers: ChildProcess[] = [];
    // The next document may start it on the same folder.
    afterAll(() => Promise.all(servers.map(end)));
    it.each(TIMES)('do %s', async () => {
      await Promise.all(servers.splice(0).map(end));
      const commands: string[] = [];
      for (const line of text.split('\n')) {
        if (!runsHere(line)) continue;
        // It goes on until it is ended.
        if (!SERVER.test(line)) commands.push(line);
        else servers.push(await start('bash', ['-c', here(line)], /^ready /));
      }
      const { code, output } = await run(`${PRELUDE}\n${here(commands.join('\n'))}`, directory);
      expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
      // A refusal is shown only where the document says so.
      for (const [, error] of output.matchAll(/"error":"(\w+)"/g)) expect(text).toContain(error);
    });
  });

  const programs = blocksOf(document, 'js').filter(({ text }) => text.includes("'tillnode/"));
  it.each(programs.map((block) => [block.line, block.text] as const))(
    'the program from line %i on runs',
    async (line, text) => {
      const file = `program-${line}.mjs`;
      writeFileSync(join(directory, file), here(text));
      // One that listens for events goes on.
      const { code, output } = await run(`timeout 5 node ${file} 2>&1 || [ $? = 124 ]`, directory);
      expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
    },
  );
});

it('the README is read in ten minutes', () => {
  expect(readFileSync('README.md', 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(250);
});

it('a block of commands is marked as one, unless it says where something else has to stand', () => {
  const unmarked = documents().flatMap((document) => ['', 'text'].flatMap((language) => blocksOf(document, language)));
  const commands = unmarked.filter(({ text }) => /^(npm|npx|node|curl|tillnode) /m.test(text));
  const placeholder = /\b[A-Z]{3,}\b|<\w+>|\[--/;
  expect(
    commands.filter(({ text }) => !placeholder.test(text)).map(({ document, line }) => `${document}:${line}`),
  ).toEqual([]);
});
