/** GET /bootlog and DELETE /bootlog/* (specification 2.12), and what is left of a process that crashed. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { VirtualBoot, type VirtualBootOptions } from '../../../runtime/bindings/virtual/boot.ts';
import { VirtualStorage } from '../../../runtime/bindings/virtual/storage.ts';
import { startTestNode } from '../../../runtime/node/testing.ts';
import bootlog from '../../../runtime/services/bootlog/index.ts';
import settings from '../../../runtime/services/settings/index.ts';

interface Log {
  readonly boots: readonly Record<string, unknown>[];
  readonly crash: Record<string, unknown> | null;
}

const API_KEY = 'correct horse battery';

async function start(storage = new VirtualStorage(), options: VirtualBootOptions = {}) {
  const writes: string[] = [];
  const node = await startTestNode({
    plugins: [settings, bootlog],
    recipes: [],
    storage,
    boot: new VirtualBoot(options),
    image: { version: '1.2.3' },
  });
  let running = true;
  /** `stop` ends it in order; a node that is only left stands for a process that was killed. */
  const stop = async () => {
    if (running) await node.stop();
    running = false;
  };
  onTestFinished(stop);
  storage.failure = (operation, name) => {
    if (operation === 'write') writes.push(name);
    return undefined;
  };
  const send = async (method: string, path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${node.url}${path}`, { method, headers });
    const body = (await response.json()) as Record<string, unknown>;
    return { status: response.status, error: body['error'], body };
  };
  return {
    ...node,
    storage,
    writes,
    stop,
    send,
    log: async () => (await send('GET', '/bootlog')).body as unknown as Log,
  };
}

describe('the boot log', () => {
  it('is stored while the node starts, which does not wait for that', async () => {
    const storage = new VirtualStorage();
    const write = storage.write.bind(storage);
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    storage.write = async (name, bytes) => {
      if (name === 'bootlog') await begun;
      return write(name, bytes);
    };
    const first = await start(storage);
    const { boots } = await first.log();
    expect(await storage.read('bootlog')).toBe(undefined);
    begin();
    await first.stop();
    const later = await start(storage, { reason: 'restart' });
    expect((await later.log()).boots).toEqual([expect.anything(), { ...boots[0], clean: true }]);
  });

  it('begins with this run', async () => {
    const node = await start();
    const { boots, crash } = await node.log();
    expect(crash).toBe(null);
    expect(boots).toEqual([
      {
        bootId: expect.stringMatching(/^[0-9a-f]{8}$/),
        slot: 'a',
        firmwareVersion: '1.2.3',
        reason: 'power_on',
        uptimeSeconds: 0,
        clean: false,
      },
    ]);
  });

  it('counts the seconds of this run while it is read, and writes nothing meanwhile', async () => {
    const node = await start();
    Object.assign(node.kernel, { startedAt: performance.now() - 90_000 });
    expect((await node.log()).boots[0]).toMatchObject({ uptimeSeconds: 90, clean: false });
    expect(node.writes).toEqual([]);
  });

  it('knows a run that was ended in order, and how long it was', async () => {
    const first = await start();
    Object.assign(first.kernel, { startedAt: performance.now() - 3_600_000 });
    await first.stop();
    const second = await start(first.storage, { reason: 'restart', previous: { uptimeSeconds: 1, detail: 'exit 75' } });
    const { boots } = await second.log();
    expect(boots).toMatchObject([
      { reason: 'restart', clean: false },
      { reason: 'power_on', clean: true, uptimeSeconds: 3600 },
    ]);
    expect(boots[0]?.['bootId']).not.toBe(boots[1]?.['bootId']);
  });

  it('has the length of a run that was killed from the launcher, where it saw it', async () => {
    const { storage } = await start();
    await start(storage, { reason: 'power_on' });
    const third = await start(storage, {
      reason: 'crash',
      previous: { uptimeSeconds: 77, detail: 'ended by SIGKILL' },
    });
    const { boots, crash } = await third.log();
    expect(boots.map(({ uptimeSeconds, clean }) => [uptimeSeconds, clean])).toEqual([
      [0, false],
      [77, false],
      [0, false],
    ]);
    expect(crash).toEqual({
      reason: 'crash',
      firmwareVersion: '1.2.3',
      bootId: boots[1]?.['bootId'],
      uptimeSeconds: 77,
      detail: 'ended by SIGKILL',
    });
  });

  it.each(['watchdog', 'out_of_memory', 'rollback'] as const)('keeps a %s until it is cleared', async (reason) => {
    const { storage } = await start();
    await start(storage, { reason, previous: { uptimeSeconds: 5, detail: 'made no progress in 15 s' } });
    const later = await start(storage, { reason: 'restart' });
    expect((await later.log()).crash).toMatchObject({ reason, uptimeSeconds: 5, detail: 'made no progress in 15 s' });
  });

  it('holds 16 runs, newest first', async () => {
    const storage = new VirtualStorage();
    const ids: unknown[] = [];
    for (let run = 0; run < 20; run += 1) {
      const node = await start(storage);
      ids.unshift((await node.log()).boots[0]?.['bootId']);
      await node.stop();
    }
    const { boots } = await (await start(storage)).log();
    expect(boots.slice(1).map(({ bootId }) => bootId)).toEqual(ids.slice(0, 15));
  });

  it('is empty when what is stored is not what this node would have stored', async () => {
    const good = await start();
    await good.stop();
    const stored = Buffer.from((await good.storage.read('bootlog')) ?? '');
    const damaged = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.json().map((text) => Buffer.from(text)),
      fc.nat(stored.length - 1).map((length) => stored.subarray(0, length)),
      fc.constant(Buffer.from(stored.toString().replace('"clean":true', '"clean":1'))),
      fc.constant(Buffer.from(stored.toString().replace('"crash"', '"secret":1,"crash"'))),
    );
    await fc.assert(
      fc.asyncProperty(damaged, async (bytes) => {
        const storage = new VirtualStorage();
        await storage.write('bootlog', bytes);
        await storage.write('bootlog.crash', bytes);
        const node = await start(storage);
        const { boots, crash } = await node.log();
        expect({ count: boots.length, crash }).toEqual({ count: 1, crash: null });
        await node.stop();
      }),
      { numRuns: 40, seed: 3 },
    );
  });

  it('that cannot be stored costs nothing but itself', async () => {
    const storage = new VirtualStorage();
    storage.failure = (_, name) => (name.startsWith('bootlog') ? new Error('the disk is broken') : undefined);
    const node = await startTestNode({ plugins: [settings, bootlog], recipes: [], storage });
    onTestFinished(() => node.stop());
    expect((await fetch(`${node.url}/bootlog`)).status).toBe(200);
  });
});

describe('an error that nobody caught', () => {
  it('is found by the next start: what and where, without the folders of the machine', async () => {
    const node = await start();
    const error = new TypeError(`x is not a function ${'y'.repeat(300)}`);
    error.stack = [
      'TypeError: x is not a function',
      '    at run (file:///opt/secret/place/dist/twin/main.js:12:345)',
      '    at /opt/secret/place/dist/twin/main.js:1:2',
      '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
      ...Array.from({ length: 20 }, (_, line) => `    at deep (/a/b/c.js:${line}:1)`),
    ].join('\n');
    node.kernel.hooks.crash.call(error);
    const next = await start(node.storage, { reason: 'crash', previous: { uptimeSeconds: 9, detail: 'exit code 70' } });
    const { crash, boots } = await next.log();
    expect(crash).toMatchObject({
      reason: 'uncaught_error',
      firmwareVersion: '1.2.3',
      bootId: boots[1]?.['bootId'],
      uptimeSeconds: 0,
      name: 'TypeError',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    expect(String(crash?.['message'])).toBe(error.message.slice(0, 200));
    const stack = crash?.['stack'] as string[];
    expect(stack.slice(0, 4)).toEqual([
      'at run (main.js:12:345)',
      'at main.js:1:2',
      'at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
      'at deep (c.js:0:1)',
    ]);
    expect(stack.length).toBe(10);
    expect(await next.storage.read('bootlog.crash')).toBe(undefined);
  });

  it.each([['a string'], [undefined], [{ name: 3 }], [Object.assign(new Error('m'), { stack: null })]])(
    'may be %j',
    async (thrown) => {
      const node = await start();
      node.kernel.hooks.crash.call(thrown);
      const next = await start(node.storage);
      expect((await next.log()).crash).toMatchObject({ reason: 'uncaught_error' });
    },
  );

  it('whose last words cannot be written ends the process all the same', async () => {
    const node = await start();
    node.storage.failure = () => new Error('the disk is broken');
    expect(() => node.kernel.hooks.crash.call(new Error('first'))).not.toThrow();
  });
});

describe('DELETE /bootlog/*', () => {
  it('clears what is stored, and is not_found when nothing is', async () => {
    const { storage } = await start();
    const node = await start(storage, { reason: 'watchdog', previous: { uptimeSeconds: 5, detail: 'no progress' } });
    for (const what of ['boots', 'crash']) {
      expect(await node.send('DELETE', `/bootlog/${what}`)).toMatchObject({ status: 200, body: { ok: true } });
      expect(await node.send('DELETE', `/bootlog/${what}`)).toMatchObject({ status: 404, error: 'not_found' });
    }
    expect(await node.log()).toEqual({ boots: [], crash: null });
    await node.stop();
    const next = await start(storage);
    expect((await next.log()).boots.length).toBe(1);
  });

  it('of both at once clears both', async () => {
    const { storage } = await start();
    const node = await start(storage, { reason: 'watchdog', previous: { uptimeSeconds: 5, detail: 'no progress' } });
    const { hostname, port } = new URL(node.url);
    const socket = connect(Number(port), hostname);
    const of = (what: string, close = '') => `DELETE /bootlog/${what} HTTP/1.1\r\nHost: node\r\n${close}\r\n`;
    // One segment: the second is begun before the first is stored.
    socket.write(of('boots') + of('crash', 'Connection: close\r\n'));
    const answers = await text(socket);
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    expect(await node.log()).toEqual({ boots: [], crash: null });
  });

  it('needs the API key at admin', async () => {
    const node = await start();
    await node.kernel.config.patch({ apiKey: API_KEY, apiMode: 'admin' });
    expect(await node.send('DELETE', '/bootlog/boots')).toMatchObject({ status: 401, error: 'api_locked' });
    expect(await node.send('DELETE', '/bootlog/boots', { 'X-NODE-Api-Key': API_KEY })).toMatchObject({ status: 200 });
    expect((await node.send('GET', '/bootlog')).status).toBe(200);
  });

  it('that cannot be stored is persist_failed, and the log stands', async () => {
    const node = await start();
    node.storage.failure = () => new Error('the disk is full');
    expect(await node.send('DELETE', '/bootlog/boots')).toMatchObject({ status: 500, error: 'persist_failed' });
    expect((await node.log()).boots.length).toBe(1);
  });

  it('serves nothing else', async () => {
    const node = await start();
    expect((await node.send('DELETE', '/bootlog/all')).status).toBe(404);
    expect((await node.send('DELETE', '/bootlog')).status).toBe(405);
  });
});
