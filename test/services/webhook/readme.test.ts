/** The receiver in the README of the room, word for word, told of events by the node's own delivery. */
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Delivery } from '../../../runtime/http/delivery.ts';
import { Outbound } from '../../../runtime/http/outbound.ts';
import { silentLogger } from '../../../runtime/kernel/log.ts';
import { until } from '../../node.ts';

const SECRET = 'sésame';

async function startReadmeReceiver() {
  const [, program = expect.fail('no receiver in the README')] =
    /`receiver\.mjs`[^`]*`[^`]*`:\n\n```js\n([\s\S]*?)```/.exec(
      readFileSync('runtime/services/webhook/README.md', 'utf8'),
    ) ?? [];
  const directory = mkdtempSync(join(tmpdir(), 'tillnode-readme-'));
  const file = join(directory, 'receiver.mjs');
  writeFileSync(file, program);
  const child = spawn(process.execPath, [file], {
    env: { ...process.env, SECRET, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(directory, { recursive: true });
  });
  const said = { text: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    said.text += chunk.toString();
  });
  await until(() => said.text.includes('\n'));
  const lines = () => said.text.trimEnd().split('\n').slice(1);
  return { program, child, lines, url: `http://127.0.0.1:${/^port (\d+)/.exec(said.text)?.[1]}/` };
}

describe('the receiver of the README', () => {
  it('takes what the node sends', async () => {
    const { url, lines, program } = await startReadmeReceiver();
    expect(program.trimEnd().split('\n').length).toBeLessThanOrEqual(22);
    const delivery = new Delivery({
      webhook: () => ({ url, secret: SECRET, events: ['scan_read'] }),
      node: '0badcafe',
      uptimeMs: () => 5,
      outbound: new Outbound({ refuses: () => false }),
      log: silentLogger,
    });
    onTestFinished(() => delivery.stop(0));
    for (const value of ['4006381333931', 'é€😀'.repeat(48)]) {
      const scan = { type: 'scan_read', endpoint: 'scanner', value, seq: 1 };
      delivery.offer(scan);
    }
    await until(() => lines().length === 2);
    expect(lines()[0]).toBe('0badcafe 1 {"type":"scan_read","endpoint":"scanner","value":"4006381333931","seq":1}');
    await until(() => delivery.status().delivered === 2);
  });

  it('takes an event once, refuses what is not signed, and reads no more than it must', async () => {
    const { url, lines, child } = await startReadmeReceiver();
    const body = '{"node":"0badcafe","seq":1,"uptimeMs":5,"event":{"type":"scan_read","value":"é"}}';
    const sign = (secret: string, text: string) => `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
    const send = async (text: string, signature?: string) =>
      (await fetch(url, { method: 'POST', body: text, headers: signature ? { 'X-NODE-Signature': signature } : {} }))
        .status;
    expect(await send(body, sign(SECRET, body))).toBe(204);
    expect(await send(body, sign(SECRET, body))).toBe(204);
    expect(await send(body.replace('é', 'e'), sign(SECRET, body))).toBe(401);
    for (const wrong of [
      undefined,
      'sha256=',
      'sha256=00',
      sign('other', body),
      sign('', body),
      `${sign(SECRET, body)}0`,
    ]) {
      expect(await send(body, wrong)).toBe(401);
    }
    const large = ' '.repeat(1025);
    expect(await send(large, sign(SECRET, large))).toBe(413);
    const unmeasured = request(url, { method: 'POST', headers: { 'Transfer-Encoding': 'chunked' } });
    unmeasured.on('error', () => {});
    const status = new Promise((resolve) => unmeasured.once('response', (response) => resolve(response.statusCode)));
    unmeasured.write(body);
    expect(await status).toBe(413);
    unmeasured.destroy();
    // A sender that goes away in the middle of its body.
    const cut = request(url, { method: 'POST', headers: { 'Content-Length': 100 } });
    cut.on('error', () => {});
    cut.write(body, () => setTimeout(() => cut.destroy(), 20));
    await new Promise((resolve) => cut.once('close', resolve));
    expect(await send(`${body} `, sign(SECRET, `${body} `))).toBe(204);
    await until(() => lines().length === 2);
    expect(child.exitCode).toBeNull();
  });
});
