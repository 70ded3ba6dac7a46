/** What the node has to do with the service that installs a system: one call at a time, and its answer. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SystemWriter } from '../../runtime/bindings/native/system-slot.ts';

let home = '';
let service: Server;
let writer: SystemWriter;
/** The connection, at the service. */
let call: Socket;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'tillnode-system-'));
  service = createServer({ allowHalfOpen: true }).listen(join(home, 'socket'));
  await once(service, 'listening');
  const connected = once(service, 'connection') as Promise<[Socket]>;
  writer = new SystemWriter(connect(join(home, 'socket')));
  [call] = await connected;
});
afterEach(() => {
  call.destroy();
  service.close();
  rmSync(home, { recursive: true });
});

describe('a call of the service that installs a system', () => {
  it('that is given up is over when the service has ended', async () => {
    let over = false;
    const discarded = writer.discard().then(() => {
      over = true;
    });
    call.resume();
    await once(call, 'end');
    expect({ over, closed: writer.closed }).toEqual({ over: false, closed: false });
    call.end('{"error":"the connection ended"}\n');
    await discarded;
    expect(writer.closed).toBe(true);
  });

  it('says what the service says', async () => {
    await writer.write(Buffer.from('a bundle'));
    call.on('data', (data) => {
      if (String(data).endsWith('commit\n')) call.end('{"error":"its security floor is 1"}\n');
    });
    await expect(writer.commit()).rejects.toThrow('its security floor is 1');
  });
});
