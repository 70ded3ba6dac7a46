/** The connection that listens to the system bus, to a real one and to one that speaks otherwise. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { busSignals } from '../../runtime/bindings/native/bus-signals.ts';
import { createRadio } from '../../runtime/bindings/native/radio.ts';
import { until } from '../node.ts';
import { needTools } from '../tools.ts';

const RULES = ["type='signal',interface='shop.Door',member='Opened'", "type='signal',interface='shop.Light'"];
const missing = needTools(['dbus-daemon', 'dbus-send']);
let path: string;
let address: string;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'bus-'));
  path = join(folder, 'bus');
  address = `unix:path=${path}`;
  vi.stubEnv('DBUS_SYSTEM_BUS_ADDRESS', address);
  return () => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  };
});

/** Counts what it is told. */
function listen(rules: readonly string[] = RULES, retryMs = 5) {
  const heard = { times: 0 };
  const unwatch = busSignals(
    rules,
    retryMs,
  )(() => {
    heard.times += 1;
  });
  onTestFinished(unwatch);
  return { heard, unwatch };
}

describe.skipIf(missing !== undefined)(missing ?? 'the system bus', () => {
  async function startBus(): Promise<() => Promise<unknown>> {
    const config = `${path}.conf`;
    writeFileSync(
      config,
      `<busconfig><listen>${address}</listen><auth>EXTERNAL</auth>
       <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`,
    );
    const daemon: ChildProcess = spawn('dbus-daemon', ['--nofork', '--print-address', `--config-file=${config}`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void daemon.kill());
    await once(daemon.stdout!, 'data');
    return async () => {
      daemon.kill();
      if (daemon.exitCode === null && daemon.signalCode === null) await once(daemon, 'exit');
    };
  }
  const send = (name: string) => execFileSync('dbus-send', ['--system', '--type=signal', '/shop', name, 'string:x']);
  /** One that was there before the bus, and is told that it listens now. */
  async function listening() {
    const { heard, unwatch } = listen();
    const stop = await startBus();
    await until(() => heard.times === 1);
    return { heard, unwatch, stop };
  }

  it('tells each signal that fits a rule, and no other', async () => {
    const { heard } = await listening();
    for (const name of ['shop.Door.Closed', 'shop.Window.Opened', 'shop.Door.Opened', 'shop.Light.On']) send(name);
    await until(() => heard.times >= 3);
    expect(heard.times).toBe(3);
  });

  it('that is lost is news, and so is that it is back, as nobody knows what happened meanwhile', async () => {
    const { heard, stop } = await listening();
    await stop();
    await until(() => heard.times === 2);
    await startBus();
    await until(() => heard.times === 3);
    send('shop.Light.On');
    await until(() => heard.times === 4);
  });

  it('tells who watches the radio that NetworkManager starts or ends', async () => {
    const ring = vi.fn();
    onTestFinished(createRadio({ rewatchMs: 5 }).watch(ring));
    await startBus();
    await until(() => ring.mock.calls.length === 1);
    // It has the name until it ends.
    const name = ['/org/freedesktop/DBus', 'org.freedesktop.DBus.RequestName', 'string:org.freedesktop.NetworkManager'];
    execFileSync('dbus-send', ['--system', '--print-reply', '--dest=org.freedesktop.DBus', ...name, 'uint32:0']);
    await until(() => ring.mock.calls.length === 3);
  });

  it('is left when nobody listens any more', async () => {
    const { heard, unwatch } = await listening();
    const ask = ['--system', '--print-reply', '--dest=org.freedesktop.DBus', '/', 'org.freedesktop.DBus.ListNames'];
    const connections = () => execFileSync('dbus-send', ask).toString().match(/":1\./g)?.length;
    expect(connections()).toBe(2);
    unwatch();
    await until(() => connections() === 1);
    send('shop.Light.On');
    expect(heard.times).toBe(1);
  });
});

describe('a bus', () => {
  /** Answers each connection so; counts them. */
  async function serve(connected: (socket: Socket) => void) {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      connected(socket);
    });
    await new Promise<void>((listens) => server.listen(path, listens));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return sockets;
  }
  /** A message without fields, with the numbers of a machine of the other order of bytes. */
  const message = (type: number, body = 0): Buffer => {
    const bytes = Buffer.alloc(16 + body);
    bytes.set([0x42, type, 0, 1]);
    bytes.writeUInt32BE(body, 4);
    return bytes;
  };

  it('whose answers come byte by byte, and in the other order of bytes, is understood', async () => {
    await serve((socket) => {
      socket.once('data', async () => {
        const answers = [Buffer.from('OK 0123456789abcdef\r\n'), message(2, 4), message(4), message(2), message(2)];
        for (const byte of Buffer.concat([...answers, message(4, 3), message(4)])) {
          await new Promise((sent) => socket.write(Uint8Array.of(byte), sent));
        }
      });
    });
    const { heard } = listen();
    await until(() => heard.times === 2);
  });

  it.each([
    ['refuses who asks', (socket: Socket) => void socket.write('REJECTED EXTERNAL\r\n')],
    ['refuses a rule', (socket: Socket) => void socket.write(Buffer.concat([Buffer.from('OK 0\r\n'), message(3)]))],
    [
      'announces more than a signal has',
      (socket: Socket) => void socket.write(Buffer.concat([Buffer.from('OK 0\r\n'), message(4, 100_000)])),
    ],
    ['never ends its line', (socket: Socket) => void socket.write('O'.repeat(100_000))],
  ])('that %s is left and tried again, and nobody is told anything', async (_, answer) => {
    const sockets = await serve((socket) => socket.once('data', () => answer(socket)));
    const { heard } = listen();
    await until(() => sockets.size > 2);
    expect(heard.times).toBe(0);
  });
});
