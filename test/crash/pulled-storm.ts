/** Receipts of a hosted till through `tillnode pull`, while it, the node and the server are killed and the network is cut at random. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { build } from 'esbuild';
import { clientOf } from '../../runtime/assembly/client/client-module.ts';
import { countsOn } from '../keyed-receipt.ts';
import { freePort } from '../ports.ts';
import { eposPrint, type Heard, requestInfo, resultsIn, serve, type TestServer } from '../pull/servers.ts';
import { randomFrom } from '../random.ts';
import { startCable } from './keyed-cable.ts';
import { end, startKeyedNode } from './keyed-node.ts';

const PROGRAM = '.cache/pulled/pull.mjs';
const LIFE_MS = Number(process.env['LIFE_MS'] ?? 700);
const HANDED_OUT = 3;

/** Odoo forgets receipts as it hands them out; WooCommerce POS offers them until it has heard what came of them. */
export type Semantics = 'forgets' | 'claims';

export interface PulledStorm {
  readonly receipts: number;
  readonly kills: Readonly<Record<Victim, number>>;
  /** Reported as in doubt: how many, and of how many the paper has none, a part, the whole. */
  readonly inDoubt: { readonly all: number; readonly none: number; readonly part: number; readonly whole: number };
  readonly cuts: number;
  readonly seconds: number;
  readonly faults: readonly string[];
}

const VICTIMS = ['client', 'node', 'server', 'network'] as const;
type Victim = (typeof VICTIMS)[number];

/** Bundles the program as it is built. */
export const bundlePull = () =>
  build({
    entryPoints: ['runtime/pull/main.ts'],
    outfile: PROGRAM,
    bundle: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    plugins: [
      clientOf(
        ['runtime/services', 'plugins'].flatMap((parent) => readdirSync(parent).map((name) => resolve(parent, name))),
      ),
    ],
    logLevel: 'warning',
  });

/** The program in a process of its own; resolves when it is there. */
export async function startPull(
  args: readonly string[],
  heard: (line: string) => void = () => {},
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [resolve(PROGRAM), ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  createInterface({ input: child.stdout }).on('line', heard);
  createInterface({ input: child.stderr }).on('line', heard);
  await once(child, 'spawn');
  return child;
}

const IMAGE = `<image width="64" height="16">${Buffer.alloc(128, 0xa5).toString('base64')}</image>`;
const bodyOf = (name: string) =>
  `<text>&lt;${name}&gt;&#10;</text><text align="center" em="true">2 x Coffee&#10;</text>${IMAGE}` +
  `<symbol type="qrcode_model_2" level="level_m" width="4">https://till.example/${name}</symbol>` +
  `<text align="left" em="false">&lt;/${name}&gt;&#10;</text><cut type="feed"/>`;

/** A server that is killed and started again at its port; what it knows outlives it. Each request may be cut. */
async function tillOf(receipts: number, semantics: Semantics, random: () => number) {
  const queue = Array.from({ length: receipts }, (_, n) => `r-${n + 1}`);
  const results = new Map<string, Heard>();
  /** Handed out, and not heard of since. */
  const away = new Set<string>();
  let cuts = 0;
  let server: TestServer | undefined;
  const port = await freePort();
  const cut = (share: number) => {
    const isCut = random() < share;
    if (isCut) cuts += 1;
    return isCut;
  };
  const start = async () => {
    server = await serve((_request, asked) => {
      if (cut(0.02)) return undefined;
      const form = new URLSearchParams(asked);
      if (form.get('ConnectionType') === 'SetResponse') {
        for (const heard of resultsIn(form)) {
          const { id = '', code } = heard;
          // Of this one only a part arrived: it comes anew.
          if (code === 'SchemaError') continue;
          results.set(id, heard);
          away.delete(id);
          const at = queue.indexOf(id);
          if (at >= 0 && semantics === 'claims') queue.splice(at, 1);
        }
        return cut(0.05) ? undefined : {};
      }
      const out = semantics === 'forgets' ? queue.splice(0, HANDED_OUT) : queue.slice(0, HANDED_OUT);
      for (const name of out) away.add(name);
      if (semantics === 'claims' && cut(0.05)) return undefined;
      if (out.length === 0) return {};
      const body = requestInfo(out.map((name) => eposPrint(name, bodyOf(name))));
      if (semantics === 'claims' || !cut(0.05)) return { body };
      // What is whole in it is printed, as it is forgotten here.
      const part = body.slice(0, Math.floor(random() * body.length));
      const lost = out.slice(part.split('</ePOSPrint>').length - 1);
      for (const name of lost) away.delete(name);
      queue.unshift(...lost);
      return { headers: { 'Content-Length': String(body.length) }, body: part, cut: true };
    }, port);
  };
  await start();
  return {
    results,
    url: server?.url ?? '',
    cuts: () => cuts,
    /** What it has handed out arrives: that of Odoo would be lost else. */
    restart: async () => {
      await server?.close(semantics === 'forgets');
      await delay(random() * 200);
      await start();
    },
    /** An answer that the client had no time to write down is lost with Odoo, whatever the client does: it comes anew. */
    recall: (journal: string) => {
      if (semantics === 'claims') return;
      const written = writtenIn(journal);
      for (const name of away) {
        if (written.has(name)) continue;
        away.delete(name);
        queue.push(name);
      }
    },
    close: () => server?.close(),
  };
}

/** Jobs that can be printed, or were; one that came in part is none. */
function writtenIn(journal: string): Set<string> {
  const names = new Set<string>();
  for (const line of journal.split('\n').filter((each) => each.endsWith('}'))) {
    const { job } = JSON.parse(line) as { job?: { id: string; commands: object; outcome?: { error?: string } } };
    if (job !== undefined && Array.isArray(job.commands) && job.outcome?.error !== 'invalid_command') names.add(job.id);
  }
  return names;
}

/** Goes on until the server has heard of every receipt; there is a kill every 0.35 to 1.05 s, or later where nothing came through. */
export async function pulledStorm({
  receipts,
  seed,
  semantics,
}: {
  readonly receipts: number;
  readonly seed: number;
  readonly semantics: Semantics;
}): Promise<PulledStorm> {
  const random = randomFrom(seed);
  await bundlePull();
  const node = await startKeyedNode();
  const state = mkdtempSync(join(tmpdir(), 'pulled-'));
  const till = await tillOf(receipts, semantics, random);
  const args = () => [
    ...['--server', till.url, '--protocol', 'sdp', '--node', cable.url],
    ...['--state', state, '--every', '1'],
  ];
  const cable = await startCable(Number(new URL(node.url).port));
  const kills = { client: 0, node: 0, server: 0, network: 0 };
  const began = performance.now();
  let client = await startPull(args());
  try {
    for (let heard = 0, fruitless = 0; till.results.size < receipts; ) {
      // Where a machine is so busy that nothing comes through between two kills, the next one comes later.
      await delay(LIFE_MS * (0.5 + random()) * (1 + fruitless));
      fruitless = till.results.size === heard ? fruitless + 1 : 0;
      heard = till.results.size;
      const victim = VICTIMS[Math.floor(random() * VICTIMS.length)] ?? 'client';
      kills[victim] += 1;
      if (victim === 'server') await till.restart();
      if (victim === 'network') cable.cut();
      if (victim === 'node') {
        await node.kill();
        await node.start();
      }
      if (victim === 'client') {
        await end(client, 'SIGKILL');
        // One that is killed before it has begun has written nothing.
        const journal = readdirSync(state)
          .map((name) => join(state, name, 'journal.ndjson'))
          .find((path) => existsSync(path));
        till.recall(journal === undefined ? '' : readFileSync(journal, 'utf8'));
        client = await startPull(args());
      }
    }
    await end(client, 'SIGTERM');
    const on = countsOn(node.paper());
    const inDoubt = { all: 0, none: 0, part: 0, whole: 0 };
    const faults: string[] = [];
    for (const [name, { success, code, detail }] of till.results) {
      const { begun, ended } = on(name);
      const isDoubt = code === 'EX_TIMEOUT';
      if (isDoubt) {
        inDoubt.all += 1;
        inDoubt[begun === 0 ? 'none' : ended === 0 ? 'part' : 'whole'] += 1;
      }
      const holds = success ? begun === 1 && ended === 1 : isDoubt && begun <= 1 && ended <= begun;
      if (!holds) faults.push(`${name}: ${code} ${detail}; on the paper ${begun} beginnings, ${ended} ends`);
    }
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    return { receipts: till.results.size, kills, inDoubt, cuts: till.cuts(), seconds, faults };
  } finally {
    await end(client, 'SIGKILL');
    await till.close();
    cable.close();
    await node.remove();
    rmSync(state, { recursive: true, force: true });
  }
}
