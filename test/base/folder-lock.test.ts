/** A folder for one process: two that race for it, processes that are killed, and folders that cannot be locked. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { lock } from '../../runtime/base/folder-lock.ts';
import { Refused } from '../../runtime/base/refused.ts';

const KILLS = 5;

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'lock-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

let program: string;
beforeAll(async () => {
  const contents = `import { lock } from './runtime/base/folder-lock.ts';
    await lock(process.argv[1]);
    process.stdout.write('held');
    setInterval(() => {}, 1000);`;
  const stdin = { contents, resolveDir: '.', loader: 'ts' } as const;
  const made = await build({ stdin, bundle: true, format: 'esm', platform: 'node', write: false, logLevel: 'error' });
  program = made.outputFiles[0]?.text ?? '';
});

/** A process that has taken the folder. */
async function holderOf(held: string) {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program, held]);
  await once(child.stdout, 'data');
  return {
    pid: child.pid,
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

describe('a folder', () => {
  it(`held by a process that is killed ${KILLS} times is refused each time with its id, and free each time after`, async () => {
    const held = folder();
    for (let kills = 0; kills < KILLS; kills++) {
      const { pid, kill } = await holderOf(held);
      const refusal = await lock(held).catch((error: unknown) => error);
      await kill();
      expect(refusal).toBeInstanceOf(Refused);
      expect((refusal as Error).message).toMatch(
        new RegExp(`^another process has ${held}: process ${pid} on [^\\n]+$`),
      );
    }
    (await lock(held))();
    expect(readdirSync(held)).toEqual([]);
  });

  it('is had by one of many that start at the same moment', async () => {
    const held = folder();
    const won = await Promise.allSettled(Array.from({ length: 8 }, () => lock(held)));
    expect(won.filter(({ status }) => status === 'fulfilled').length).toBe(1);
    for (const each of won) if (each.status === 'fulfilled') each.value();
    (await lock(held))();
  });

  it('of a path that is longer than the one of a socket can be is held as any other', async () => {
    const held = mkdtempSync(join(folder(), 'x'.repeat(120)));
    const giveBack = await lock(held);
    await expect(lock(held)).rejects.toThrow(Refused);
    giveBack();
    (await lock(held))();
    expect(readdirSync(held)).toEqual([]);
  });

  it('that is not there, or takes no socket, is not locked', async () => {
    for (const each of [join(folder(), 'none'), '/proc/self']) {
      const [first, second] = [await lock(each), await lock(each)];
      expect([first(), second()]).toEqual([undefined, undefined]);
    }
  });
});
