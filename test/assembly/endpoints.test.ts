/** An image whose row gives its printer room two endpoints, started as it is and asked over HTTP. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { build } from 'tsup';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imageOf, variants } from '../../build.config.ts';
import type { Variant } from '../../runtime/assembly/variant/variant.ts';
import { freePort, listensOn } from '../ports.ts';

const OUT = 'dist/two-printers';
const twin = variants['twin'] as Variant;
const endpoints = { printer: ['receipt', 'kitchen'] };
const scratch = mkdtempSync(join(tmpdir(), 'tillnode-two-'));
const made = (variant: Variant) => build({ ...imageOf('two-printers', variant), config: false });

afterAll(() => {
  rmSync(OUT, { recursive: true, force: true });
  rmSync(scratch, { recursive: true, force: true });
});

describe('an image with two printer endpoints', () => {
  let url: string;
  let raw: number;
  const said: string[] = [];
  let end: () => Promise<unknown>;
  const ask = (path: string, body?: object) =>
    fetch(`${url}${path}`, body && { method: 'POST', body: JSON.stringify(body) });
  const paper = async (endpoint: string) => (await ask(`/twin/paper.txt?endpoint=${endpoint}`)).text();

  beforeAll(async () => {
    await made({ ...twin, endpoints });
    raw = await freePair();
    const options = ['--host', '127.0.0.1', '--port', '0', '--raw-port', String(raw), '--state', scratch];
    const child = spawn(process.execPath, [`${OUT}/main.js`, ...options], { stdio: ['ignore', 'pipe', 'ignore'] });
    end = () => {
      child.kill('SIGTERM');
      return once(child, 'exit');
    };
    const lines = createInterface({ input: child.stdout });
    for await (const line of lines) {
      said.push(line);
      if (said.length === 3) break;
    }
    url = said[0]?.replace('ready ', '') ?? '';
  });
  afterAll(() => end());

  it('prints at each of them what is sent there', async () => {
    for (const endpoint of endpoints.printer) {
      const lines = [{ type: 'text', value: `for the ${endpoint}` }];
      expect((await ask('/print', { type: 'print', id: endpoint, endpoint, lines })).status).toBe(200);
    }
    expect(await paper('kitchen')).toContain('for the kitchen');
    expect(await paper('kitchen')).not.toContain('for the receipt');
    expect(await paper('receipt')).toContain('for the receipt');
  });

  it('has the second printer at the port after the first, and says so', async () => {
    expect(said.slice(1)).toEqual([`raw 127.0.0.1:${raw}`, `raw:kitchen 127.0.0.1:${raw + 1}`]);
    const socket = connect({ host: '127.0.0.1', port: raw + 1 });
    socket.resume();
    socket.end('over the second port\n');
    await once(socket, 'close');
    expect(await paper('kitchen')).toContain('over the second port');
  });
});

describe('the options of an image with two printer endpoints', () => {
  it('are refused with 2 where they leave the second printer without a port', async () => {
    const child = spawn(process.execPath, [`${OUT}/main.js`, '--raw-port', '65535', '--state', `${scratch}/none`]);
    const [[code], said] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
    expect([code, said.split('\n')[0]]).toEqual([2, expect.stringMatching(/^--raw-port 65535: .*kitchen/)]);
  });
});

it('an image is not built with an endpoint of a kind that nothing in it drives: both are named', async () => {
  await expect(made({ ...twin, endpoints: { oven: ['back'] } })).rejects.toThrow(/endpoint back of kind oven/);
});

/** Two ports in a row that nobody has. */
async function freePair(): Promise<number> {
  const port = await freePort();
  return (await listensOn(port + 1)) ? port : freePair();
}
