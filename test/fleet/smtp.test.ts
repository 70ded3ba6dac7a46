/** Mail to a server that offers TLS: the password goes to the right one alone. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createSecureContext, createServer as createTlsServer, TLSSocket } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { sendMail } from '../../runtime/fleet/alerts/smtp.ts';
import { needTools } from '../tools.ts';
import { folder } from './fleet.ts';

const missing = needTools(['openssl']);

function certificate() {
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(directory, name)) as [string, string];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...subject], {
    stdio: 'ignore',
  });
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}
let directory = '';
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** A server that writes down what was said, and whether over TLS. */
async function start({ starttls = false, tls = false, refuses = '', auth = 'PLAIN', host = 'localhost' }) {
  directory = folder();
  const own = certificate();
  const said: string[] = [];
  const talk = (socket: Socket, isSecure: boolean) => {
    let data = false;
    let held = '';
    const listen = (chunk: Buffer) => {
      held += chunk;
      for (let end = held.indexOf('\r\n'); end >= 0; end = held.indexOf('\r\n')) {
        const line = held.slice(0, end);
        held = held.slice(end + 2);
        said.push(`${isSecure ? 'tls' : 'plain'} ${line}`);
        if (data && line !== '.') continue;
        data = line === 'DATA';
        if (line === 'STARTTLS') {
          socket.write('220 go\r\n');
          socket.off('data', listen);
          const secure = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(own) });
          secure.on('error', () => {});
          talk(secure, true);
          return;
        }
        if (refuses !== '' && line.startsWith(refuses)) socket.write('550 no such user\r\n');
        else if (line.startsWith('EHLO'))
          socket.write(`250-here\r\n${starttls && !isSecure ? '250-STARTTLS\r\n' : ''}250 AUTH ${auth}\r\n`);
        else
          socket.write(
            line === 'AUTH LOGIN' || line === base64('u')
              ? '334 VXNlcm5hbWU6\r\n'
              : line.startsWith('AUTH PLAIN') || line === base64('p')
                ? '235 you\r\n'
                : data
                  ? '354 go\r\n'
                  : line === 'QUIT'
                    ? '221 bye\r\n'
                    : '250 so\r\n',
          );
      }
    };
    socket.on('data', listen);
    socket.on('error', () => {});
  };
  const greet = (socket: Socket) => {
    socket.write('220 here\r\n');
    talk(socket, tls);
  };
  const server = tls ? createTlsServer(own, greet) : createServer(greet);
  server.listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const mail = { from: 'a@a.example', to: ['b@b.example'], subject: 'x', text: '.hidden' };
  const bracketed = host.includes(':') ? `[${host}]` : host;
  const url = `${tls ? 'smtps' : 'smtp'}://${bracketed}:${port}`;
  const send = (more: object = { ca: own.cert }) =>
    sendMail({ server: url, user: 'u', password: 'p', timeoutMs: 5000, ...more }, mail);
  return { said, send };
}

it.skipIf(missing).each([{ starttls: true }, { tls: true }])(
  'with %o the password and the mail go over TLS',
  async (how) => {
    const { said, send } = await start(how);
    await send();
    const secret = said.filter((line) => /AUTH|Subject|MAIL/.test(line));
    expect([secret.length, secret.every((line) => line.startsWith('tls'))]).toEqual([3, true]);
    expect(said.filter((line) => /^tls (\.|$)/.test(line))).toEqual(['tls ', 'tls ..hidden', 'tls .']);
  },
);

it.skipIf(missing).each([{ starttls: true }, { tls: true }])(
  'with %o nothing is said to a server that cannot prove who it is',
  async (how) => {
    const { said, send } = await start(how);
    await expect(send({})).rejects.toThrow(/self-signed certificate/);
    expect(said.filter((line) => /AUTH|Subject/.test(line))).toEqual([]);
  },
);

it.skipIf(missing)('what the server refuses is told, and the mail is not given to it', async () => {
  const { said, send } = await start({ starttls: true, refuses: 'RCPT' });
  await expect(send()).rejects.toThrow('550 no such user');
  expect(said.some((line) => line.includes('DATA'))).toBe(false);
});

it.skipIf(missing).each([
  ['PLAIN LOGIN', [`AUTH PLAIN ${base64('\0u\0p')}`]],
  ['LOGIN', ['AUTH LOGIN', base64('u'), base64('p')]],
])('a server at [::1] that offers AUTH %s gets the password so, and the mail', async (auth, expected) => {
  const { said, send } = await start({ auth, host: '::1' });
  await expect(send()).resolves.toBeUndefined();
  const at = said.findIndex((line) => line.startsWith('plain AUTH'));
  expect(said.slice(at, at + expected.length)).toEqual(expected.map((line) => `plain ${line}`));
  expect(said.at(-1)).toBe('plain .');
});

it.skipIf(missing)('a server that says nothing is given up within the time limit', async () => {
  const { send } = await start({});
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  await expect(send({ server: `smtp://127.0.0.1:${port}`, timeoutMs: 200 })).rejects.toThrow('took too long');
});
