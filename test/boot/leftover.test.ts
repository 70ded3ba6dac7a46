/** An image whose launcher is gone, and a port that another program has: neither is held against the image. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Scratch, scratch } from '../crash/harness.ts';
import { until } from '../node.ts';
import { freePort } from '../ports.ts';
import { GOOD, HANGS, makeBox } from './box.ts';

let place: Scratch;
let launch: string;
beforeAll(async () => {
  place = await scratch();
  launch = await place.bundle('launch');
});
afterAll(() => place.remove());

const isThere = (pid: number) =>
  existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');

/** A launcher in a process of its own, and what it logs. */
function launcher(root: string): { readonly child: ChildProcess; readonly images: () => number[] } {
  const child = spawn(process.execPath, [launch, `${root}/state`, `${root}/factory`, `${root}/note.ndjson`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const children = () => {
    try {
      return readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
        .split(' ')
        .filter(Boolean)
        .map(Number);
    } catch {
      return [];
    }
  };
  const isImage = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('main.js');
  return { child, images: () => children().filter((pid) => isThere(pid) && isImage(pid)) };
}

describe('an image whose launcher was killed', () => {
  it('and that hears nothing is killed by the next launcher, which then starts its own', async () => {
    const box = await makeBox(
      `if (!fs.existsSync(note + '.once')) { fs.writeFileSync(note + '.once', ''); for (;;); } ${GOOD}`,
    );
    const first = launcher(box.root);
    await until(() => existsSync(join(box.root, 'note.ndjson.once')));
    const [pid = 0] = first.images();
    onTestFinished(() => void (isThere(pid) && process.kill(pid, 'SIGKILL')));
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    expect(isThere(pid)).toBe(true);
    box.powerOn({ stopMs: 50 });
    await box.started(2);
    expect(isThere(pid)).toBe(false);
    expect(box.starts()[1]).toMatchObject({ name: 'factory', reason: 'restart', launcher: process.pid });
  });

  it('is waited for by the next launcher, which does not call it a power-on', async () => {
    // It takes its time to end in order.
    const slow = `process.removeAllListeners('disconnect'); process.on('disconnect', () => setTimeout(() => process.exit(0), 1500)); say({ type: 'good' }); ${HANGS} fs.writeFileSync(note + '.up', '');`;
    const box = await makeBox(slow);
    const first = launcher(box.root);
    await until(() => first.images().length === 1);
    const [pid = 0] = first.images();
    await until(() => existsSync(join(box.root, 'note.ndjson.up')));
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    expect(isThere(pid)).toBe(true);
    box.powerOn();
    await until(() => box.starts().some(({ launcher }) => launcher === process.pid));
    expect(isThere(pid)).toBe(false);
    expect(box.starts().at(-1)).toMatchObject({ name: 'factory', reason: 'restart' });
  });
});

describe('a good image on trial, of which nine starts were lost', () => {
  const LOST = { good: false, starts: 9, failures: 0, ranMs: 0, crashes: 0 };

  it('is not called failed when its launcher is killed', async () => {
    const box = await makeBox(GOOD);
    await box.install('a', '2.0.0', `if (fs.existsSync(note + '.up')) { ${GOOD} } else { ${HANGS} }`);
    await box.setBootState({ ...box.bootState(), trial: LOST });
    const { child } = launcher(box.root);
    await box.started(1);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(box.bootState().trial).toMatchObject({ starts: 10 });
    const written = box.countStateWrites();
    writeFileSync(join(box.root, 'note.ndjson.up'), '');
    box.powerOn({ goodMs: 60_000 });
    await box.started(2);
    expect(box.starts()[1]).toMatchObject({ name: '2.0.0', slot: 'a' });
    await until(() => box.bootState().trial?.good === true);
    expect(box.bootState().failed).toEqual([]);
    // That it is good; its start was counted already.
    await until(() => written() > 0);
    expect(written()).toBe(1);
  });

  it('is not called failed when it is killed itself', async () => {
    const box = await makeBox(GOOD);
    await box.install(
      'a',
      '2.0.0',
      `if (fs.readFileSync(note, 'utf8').split('\\n').length > 3) { ${GOOD} } else process.kill(process.pid, 'SIGKILL');`,
    );
    await box.setBootState({ ...box.bootState(), trial: LOST });
    box.powerOn({ goodMs: 60_000 });
    await box.started(3);
    expect(box.starts().map(({ name }) => name)).toEqual(['2.0.0', '2.0.0', '2.0.0']);
    await until(() => box.bootState().trial?.good === true);
    expect(box.bootState().failed).toEqual([]);
  });
});

describe('a port that another program has', () => {
  const LISTENS = (port: number) => `
    const { createServer } = await import('node:http');
    createServer().listen(${port}, '127.0.0.1', () => { ${GOOD} });`;

  it('is waited for, with a word on who has it, and costs an image on trial nothing', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const box = await makeBox(LISTENS(port));
    await box.install('a', '2.0.0', LISTENS(port));
    box.powerOn({ port, portMs: 20 });
    await until(() => box.logged().length > 0);
    expect(box.logged()).toEqual([
      {
        port,
        holder: expect.stringMatching(`^process ${process.pid} \\(.+\\)$`),
        msg: 'another program has the port; waiting for it',
      },
    ]);
    expect(box.bootState().trial).toMatchObject({ starts: 0, failures: 0 });
    other.close();
    await until(() => box.bootState().trial?.good === true);
    expect(box.starts()).toMatchObject([{ name: '2.0.0', slot: 'a' }]);
  });

  it('that is taken as the image starts is not its failure either', async () => {
    const other = createServer();
    const box = await makeBox(GOOD);
    const port = await freePort();
    // It waits until the port is taken, and then cannot listen.
    const flag = `${box.root}/taken`;
    await box.install(
      'a',
      '2.0.0',
      `const poll = setInterval(() => { if (fs.existsSync(${JSON.stringify(flag)})) process.exit(1); }, 10);`,
    );
    box.powerOn({ port, portMs: 20, goodMs: 20_000 });
    await box.started(1);
    other.listen(port, '127.0.0.1');
    await once(other, 'listening');
    writeFileSync(flag, '');
    await until(() => box.logged().some((line) => 'holder' in line));
    expect(box.bootState()).toMatchObject({ primary: 'a', failed: [] });
    await box.powerOff();
    other.close();
    expect(box.bootState().trial?.failures).toBe(0);
  });
});
