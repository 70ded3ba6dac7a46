/** Commands of every room: refused while the node restarts, done once with a key, listed, and in doubt after a cut of the power. */
import { EventEmitter, once } from 'node:events';
import { Type } from '@sinclair/typebox';
import { expect, it, onTestFinished } from 'vitest';
import { closed, utf8 } from '../../runtime/base/schema.ts';
import { VirtualStorage } from '../../runtime/bindings/virtual/storage.ts';
import { runCommand } from '../../runtime/http/commands.ts';
import { type Command, succeeded } from '../../runtime/kernel/command.ts';
import { definePlugin, route } from '../../runtime/kernel/plugin.ts';
import { startTestNode } from '../../runtime/node/testing.ts';
import jobs from '../../runtime/services/jobs/index.ts';
import settings from '../../runtime/services/settings/index.ts';
import { cameraPlugins, twinPlugins } from '../plugins.ts';

const rooms = [...new Set([...twinPlugins, ...cameraPlugins])];
const routes = rooms.flatMap(({ routes = [] }) => routes.filter(({ commands }) => commands !== undefined));

it('the routes of commands are those to compose, to kick the drawer, to print and to send raw bytes', () => {
  expect(routes.map(({ path }) => path).sort()).toEqual(['/compose', '/drawer/kick', '/print', '/raw']);
});

it('the routes of commands are each answered 503 restarting while the node restarts, before anything is read, and nothing is done', async () => {
  const { kernel, url, stop } = await startTestNode({ plugins: twinPlugins });
  onTestFinished(() => stop());
  const begun: Command[] = [];
  kernel.hooks.began.tap('test', (command) => begun.push(command));
  const letGo = kernel.hold();
  for (const { method, path } of routes) {
    const answer = await fetch(url + path, { method, body: 'no JSON at all' });
    expect([path, answer.status, await answer.json()]).toEqual([path, 503, { ok: false, error: 'restarting' }]);
  }
  const pay = (id: string) => kernel.command({ type: 'drawer_kick', id, endpoint: 'receipt' });
  expect(await pay('1')).toMatchObject({ ok: false, error: 'restarting' });
  expect(begun).toEqual([]);
  letGo();
  await pay('2');
  expect(begun).toMatchObject([{ id: '2' }]);
});

const Pay = closed(
  { type: Type.Literal('brew'), id: utf8(64), endpoint: utf8(64), cents: utf8(8) },
  { $id: 'PayBody' },
);

/** A dispenser from outside, of which each command waits for `until`. */
async function dispenser(storage = new VirtualStorage()) {
  const paid: string[] = [];
  let until: Promise<unknown> | undefined;
  const coins = definePlugin({
    name: 'coins',
    api: 2,
    endpoints: [{ id: 'coins', kind: 'coins', transport: 'node', capabilities: ['pay'] }],
    routes: [
      route({
        method: 'POST',
        path: '/coins/pay',
        tier: 'none',
        summary: 'pay out',
        body: { schema: Pay, invalid: 'invalid_command' },
        commands: { begins: 'route' },
        handle: (call) => runCommand(call, { cups: 1, ...call.body }),
      }),
    ],
    room: ({ hooks }) => {
      hooks.command.for('brew').tapPromise('coins', async (command) => {
        paid.push(command.id);
        await until;
        return succeeded(command, 'accepted', 3);
      });
    },
  });
  const node = await startTestNode({ plugins: [settings, jobs, coins], storage });
  onTestFinished(() => node.stop());
  const pay = async (id: string, key: string) => {
    const body = JSON.stringify({ type: 'brew', id, endpoint: 'coins', cents: '250' });
    const answer = await fetch(`${node.url}/coins/pay`, { method: 'POST', body, headers: { 'Idempotency-Key': key } });
    return { status: answer.status, body: (await answer.json()) as unknown };
  };
  const listed = async () => ((await (await fetch(`${node.url}/jobs`)).json()) as { jobs: unknown[] }).jobs;
  const hold = (held: Promise<unknown>) => {
    until = held;
  };
  return { paid, pay, listed, storage, hold };
}

it('commands of a room from outside are done once with a key, and are jobs of the list while they run and after', async () => {
  const { paid, pay, listed, hold } = await dispenser();
  const gate = new EventEmitter();
  hold(once(gate, 'open'));
  const first = pay('1', 'k');
  await expect.poll(listed).toMatchObject([{ kind: 'brew', endpoint: 'coins', outcome: 'running', from: '127.0.0.1' }]);
  expect(await pay('1', 'k')).toMatchObject({ status: 409, body: { error: 'key_in_use' } });
  gate.emit('open');
  const answer = await first;
  expect(answer).toMatchObject({ status: 200, body: { ok: true, commandId: '1', bytes: 3 } });
  expect(await pay('1', 'k')).toEqual(answer);
  expect(await pay('2', 'k')).toMatchObject({ status: 422, body: { error: 'idempotency_mismatch' } });
  expect(paid).toEqual(['1']);
  expect(await listed()).toMatchObject([{ kind: 'brew', id: '1', outcome: 'accepted', bytes: 3 }]);
});

it('commands of a room from outside are in doubt where the power went in the middle', async () => {
  const cut = await dispenser();
  cut.hold(new Promise(() => {}));
  void cut.pay('1', 'k').catch(() => {});
  await expect.poll(cut.listed).toHaveLength(1);
  const after = await dispenser(cut.storage);
  expect(await after.listed()).toMatchObject([{ kind: 'brew', id: '1', endpoint: 'coins', outcome: 'uncertain' }]);
  expect(await after.pay('1', 'k')).toMatchObject({ status: 409, body: { error: 'write_failed' } });
  expect(after.paid).toEqual([]);
});
