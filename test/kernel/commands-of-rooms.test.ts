/** Commands that a room makes of requests of its own shape: what is in doubt of them is told, with a key and without. */
import { EventEmitter, once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import { describe, expect, it, onTestFinished } from 'vitest';
import { VirtualPrinter } from '../../plugins/printer/virtual/device.ts';
import { closed } from '../../runtime/base/schema.ts';
import { VirtualStorage } from '../../runtime/bindings/virtual/storage.ts';
import { runCommand } from '../../runtime/http/commands.ts';
import { failed, succeeded } from '../../runtime/kernel/command.ts';
import { definePlugin, routesOf } from '../../runtime/kernel/plugin.ts';
import type { NodeCommand } from '../../runtime/kernel/registry.ts';
import { startTestNode } from '../../runtime/node/testing.ts';
import type { RecentJob } from '../../runtime/services/jobs/contract.ts';
import jobs from '../../runtime/services/jobs/index.ts';
import settings from '../../runtime/services/settings/index.ts';
import { wifiPlugins } from '../plugins.ts';

const Label = closed({ text: Type.String({ maxLength: 64 }) }, { $id: 'LabelBody' });
type End = 'out' | 'thrown' | 'jammed' | 'lost';
type Begins = 'route' | 'handler';

/** A printer of labels from outside, of which each command waits before its turn and in it, and ends as it is told. */
async function labels(storage = new VirtualStorage(), begins: Begins = 'handler') {
  const gate = new EventEmitter();
  const printed: string[] = [];
  let waits: Promise<unknown> | undefined;
  let how: End = 'out';
  const route = routesOf<undefined>();
  const room = definePlugin({
    name: 'labels',
    api: 2,
    endpoints: [{ id: 'label', kind: 'labels', transport: 'node', capabilities: ['label'] }],
    errors: [{ code: 'jammed', status: 409, retry: 'no', meaning: 'the labels are stuck' }],
    routes: [
      route({
        method: 'POST',
        path: '/label',
        tier: 'none',
        summary: 'print a label',
        body: { schema: Label, invalid: 'invalid_command' },
        commands: { begins },
        handle: (call) => runCommand(call, { type: 'brew', id: `of ${call.body.text}`, endpoint: 'label', cups: 1 }),
      }),
    ],
    room: ({ hooks }) => {
      hooks.command.for('brew').tapPromise('labels', async (command) => {
        await waits;
        if (begins === 'handler') await command.begin?.();
        printed.push(command.id);
        gate.emit('turn');
        if (how === 'thrown') throw new Error('a fault of the room');
        if (how === 'jammed') return failed(command, 'jammed', undefined, 7);
        if (how === 'lost') await new Promise(() => {});
        return succeeded(command, 'accepted', 9);
      });
      return undefined;
    },
  });
  const node = await startTestNode({ plugins: [settings, jobs, room], storage });
  onTestFinished(() => node.stop());
  const send = async (path: string, body: unknown, key?: string) => {
    const headers = key === undefined ? {} : { 'Idempotency-Key': key };
    const answer = await fetch(node.url + path, { method: 'POST', body: JSON.stringify(body), headers });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const jobsOf = async () =>
    (await (await fetch(`${node.url}/jobs`)).json()) as { readonly jobs: RecentJob[]; readonly waiting: number };
  return {
    storage,
    printed,
    kernel: node.kernel,
    send,
    label: (text: string, key?: string) => send('/label', { text }, key),
    listed: async () => (await jobsOf()).jobs,
    waiting: async () => (await jobsOf()).waiting,
    /** The turn of none comes until that. */
    wait: (held: Promise<unknown>) => {
      waits = held;
    },
    ends: (end: End) => {
      how = end;
    },
    turn: () => once(gate, 'turn'),
  };
}

const NEVER = new Promise(() => {});
/** Waits until the disk has a line of a command. */
const isStored = (storage: VirtualStorage) =>
  expect.poll(async () => Buffer.from((await storage.read('jobs')) ?? []).toString()).toContain('"brew"');

describe.each<Begins>(['route', 'handler'])('with a key, where the %s begins', (begins) => {
  it('a command that was cut off is in doubt as what it was, until somebody says what came out', async () => {
    const cut = await labels(undefined, begins);
    cut.ends('lost');
    void cut.label('a', 'k').catch(() => {});
    await cut.turn();
    const after = await labels(cut.storage, begins);
    const [job] = await after.listed();
    expect(job).toMatchObject({ kind: 'brew', id: 'of a', endpoint: 'label', outcome: 'uncertain', from: '127.0.0.1' });
    expect(await after.label('a', 'k')).toMatchObject({ status: 409, body: { error: 'write_failed' } });
    expect(await after.send('/jobs/settle', { seq: job?.seq, printed: false })).toMatchObject({ status: 200 });
    expect(await after.label('a', 'k')).toMatchObject({ status: 200, body: { commandId: 'of a' } });
    expect(after.printed).toEqual(['of a']);
  });
});

describe('without a key', () => {
  it('a command that was cut off in its turn is in doubt', async () => {
    const cut = await labels();
    cut.ends('lost');
    void cut.label('a').catch(() => {});
    await isStored(cut.storage);
    const after = await labels(cut.storage);
    expect(await after.listed()).toMatchObject([{ kind: 'brew', id: 'of a', outcome: 'uncertain' }]);
  });

  it('a command that still waited is in no doubt: of two, the one that had its turn is', async () => {
    const cut = await labels();
    cut.ends('lost');
    void cut.label('a').catch(() => {});
    await cut.turn();
    cut.wait(NEVER);
    void cut.label('b').catch(() => {});
    await expect.poll(cut.waiting).toBe(1);
    await isStored(cut.storage);
    const after = await labels(cut.storage);
    expect(await after.listed()).toMatchObject([{ id: 'of a', outcome: 'uncertain' }]);
  });
});

it('a fault of the room in its turn is in doubt, and one before it is none', async () => {
  const { ends, label, listed, wait, kernel } = await labels();
  ends('thrown');
  expect(await label('a')).toMatchObject({ status: 409, body: { error: 'write_failed' } });
  const fault = Promise.reject(new Error('before its turn'));
  fault.catch(() => {});
  wait(fault);
  expect(await label('b')).toMatchObject({ status: 500, body: { error: 'internal' } });
  expect((await listed()).map(({ id, outcome }) => [id, outcome])).toEqual([
    ['of b', 'failed'],
    ['of a', 'uncertain'],
  ]);
  expect(kernel.status()).toMatchObject({ jobs: { uncertain: 1 } });
});

it('an error of the room is no doubt: so much came out, and no more', async () => {
  const { ends, label, listed } = await labels();
  ends('jammed');
  expect(await label('a')).toMatchObject({ status: 409, body: { error: 'jammed', bytes: 7 } });
  expect(await listed()).toMatchObject([{ outcome: 'partial', error: 'jammed', bytes: 7 }]);
});

it('commands of a room are waited for by a planned restart, without a word of their room', async () => {
  const { kernel, label, waiting, wait } = await labels();
  const order: string[] = [];
  kernel.hooks.commanded.tap('test', () => order.push('ended'));
  const gate = new EventEmitter();
  wait(once(gate, 'open'));
  const answer = label('a');
  await expect.poll(waiting).toBe(1);
  const quiet = kernel.hooks.quiet.promise(30_000).then(() => order.push('quiet'));
  await setImmediate();
  gate.emit('open');
  await Promise.all([answer, quiet]);
  expect(order).toEqual(['ended', 'quiet']);
});

it('commands of a room wait for the device that is being bound as the node starts, and are done', async () => {
  const receipt = { type: 'print', id: '1', endpoint: 'receipt', lines: [{ type: 'text', value: 'Tea' }] };
  const printed: unknown[] = [];
  const early = definePlugin({
    name: 'early',
    api: 2,
    room: (node) => {
      node.hooks.bind.for('printer').tapPromise({ name: 'early', stage: -1 }, async () => {
        await setImmediate();
        void node.command(receipt as NodeCommand).then((result) => printed.push(result));
        return undefined;
      });
    },
  });
  const node = await startTestNode({
    plugins: [...wifiPlugins, early],
    devices: { printer: () => new VirtualPrinter() },
  });
  onTestFinished(() => node.stop());
  await expect.poll(() => printed).toMatchObject([{ ok: true, commandId: '1' }]);
});
