/** A machine whose nmcli says what a test wants, and keeps what it was asked. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { createRadio, type RadioOptions } from '../../runtime/bindings/native/radio.ts';

interface Answer {
  readonly out?: string;
  readonly err?: string;
  readonly code?: number;
  readonly hang?: boolean;
  /** The signal by which it ends itself. */
  readonly signal?: string;
  /** From then on the program says this, too. */
  readonly brings?: Script;
}

/** What the program says to calls whose words hold the key; the first that fits. */
export type Script = Readonly<Record<string, Answer>>;

export interface Call {
  readonly words: string;
  readonly args: readonly string[];
  readonly input: string;
  readonly home: string;
}

export const WIFI = `GENERAL.DEVICE:wlan0
GENERAL.TYPE:wifi
GENERAL.STATE:100 (connected)
GENERAL.CONNECTION:tillnode-wifi
IP4.ADDRESS[1]:10.9.0.54/23
IP4.GATEWAY:10.9.0.1
IP4.DNS[1]:10.9.0.2
DHCP4.OPTION[8]:ip_address = 10.9.0.54
`;
export const EDITED = { out: "Connection 'tillnode-wifi' successfully updated.\n" };

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** A shell script that says one answer, and puts those behind it in place. */
function answering(answer: Answer, place: (script: Script) => string): string {
  const { out = '', err = '', code = 0, hang = false, signal, brings = {} } = answer;
  return [
    `printf %s ${quoted(out)}; printf %s ${quoted(err)} >&2`,
    place(brings),
    signal === undefined ? '' : `kill -${signal} $$`,
    hang ? 'exec sleep 1000' : `code=${code}`,
  ].join('\n');
}

/** Shell commands that write the answers, so that a script can bring others. */
function placed(script: Script): string {
  return Object.entries(script)
    .map(([key, answer]) => {
      const name = Buffer.from(key).toString('hex') || 'any';
      return `printf %s ${quoted(answering(answer, placed))} > answer-${name}`;
    })
    .join('\n');
}

/** A program named nmcli, first and alone in PATH; `calls` are those that it has ended, in order. */
export function machine(script?: Script, options: RadioOptions = {}) {
  const root = mkdtempSync(join(tmpdir(), 'tillnode-radio-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const log = join(root, 'log');
  writeFileSync(log, '');
  const cases = Object.keys(script ?? {}).map(
    (key) => `*${quoted(key)}*) answer=${Buffer.from(key).toString('hex') || 'any'};;`,
  );
  for (const [key, answer] of Object.entries(script ?? {})) {
    writeFileSync(join(root, `answer-${Buffer.from(key).toString('hex') || 'any'}`), answering(answer, placed));
  }
  const program = `#!/bin/sh
PATH=/usr/bin:/bin; input=; answer=; code=0; cd '${root}'
case "$*" in *' edit '*) input=$(cat);; esac
case "$*" in
${cases.join('\n')}
esac
[ "$answer" ] && . "./answer-$answer"
{ printf '%s\\037' "$HOME" "$input" "$@"; printf '\\036'; } >> log
exit "$code"`;
  const path = join(root, 'nmcli');
  if (script !== undefined) writeFileSync(path, program, { mode: 0o755 });
  vi.stubEnv('PATH', root);
  onTestFinished(() => void vi.unstubAllEnvs());
  return {
    radio: createRadio({ rewatchMs: 1, lookMs: 1, ...options }),
    calls: (): Call[] =>
      readFileSync(log, 'utf8')
        .split('\x1e')
        .slice(0, -1)
        .map((record) => record.split('\x1f'))
        .map(([home = '', input = '', ...args]) => ({ home, input, args, words: args.slice(0, -1).join(' ') })),
  };
}

/** The cable as `nmcli device show` tells it. */
export const CABLE = `GENERAL.DEVICE:eth7
GENERAL.TYPE:ethernet
GENERAL.STATE:100 (connected)
GENERAL.CONNECTION:Wired: connection 1
IP4.ADDRESS[1]:172.16.5.9/16
IP4.GATEWAY:
`;
/** What the shop's network is joined with. */
export const CREDENTIALS = { ssid: 'Shop', password: 'correct horse', band: '5' } as const;
/** A machine that answers all that joining asks. */
export const READY: Script = {
  'device show': { out: WIFI },
  edit: EDITED,
  'UUID,ACTIVE,NAME': {
    out: 'aa-1:no:tillnode-setup\nbb-2:yes:Home\\: office\ncc-3:yes:tillnode-wifi\ndd-4:no:tillnode-wired\n',
  },
};
