/** What a node is refused before it starts, because trying again cannot make it better. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Refused } from '../../runtime/base/refused.ts';
import { hold } from '../../runtime/boot/hold.ts';

let state: string;
beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), 'hold-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  state = join(root, 'not/yet/there');
});

const refusal = (host: string, port = 0) => hold({ state, host, ports: [0, port] }).catch((error: unknown) => error);

describe('a node', () => {
  it('has its state folder for itself, which is made', async () => {
    await hold({ state, host: '127.0.0.1', ports: [0] });
    const second = await refusal('127.0.0.1');
    expect(second).toBeInstanceOf(Refused);
    expect((second as Error).message).toMatch(/^another process has .*\/not\/yet\/there: process \d+ on .+$/);
  });

  it('that is to listen on an address of another machine is refused in one line', async () => {
    const refused = await refusal('192.0.2.1');
    expect(refused).toBeInstanceOf(Refused);
    expect((refused as Error).message).toBe('--host 192.0.2.1 is not an address of this machine (EADDRNOTAVAIL)');
  });

  it('waits for a port that another program has, as it may give it back', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    expect(await refusal('127.0.0.1', (other.address() as AddressInfo).port)).toBeUndefined();
  });

  it('that cannot keep anything starts', async () => {
    state = '/proc/nosuch';
    expect(await refusal('127.0.0.1')).toBeUndefined();
  });
});
