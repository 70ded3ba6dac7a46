/** A twin whose devices are certified: what a person does with the devices, its bench does. */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { TwinAttach } from '../../plugins/twin/client.ts';
import { answersFrom } from '../../runtime/certify/answers.ts';
import { certify } from '../../runtime/certify/certify.ts';
import type { Certificate } from '../../runtime/certify/contract.ts';
import type { Question } from '../../runtime/certify/tour.ts';
import { NodeClient } from '../../runtime/client/client.ts';
import { startTestNode } from '../../runtime/node/testing.ts';
import { twinDevices } from '../devices.ts';
import { twinPlugins } from '../plugins.ts';
import { ROOMS } from './stages.ts';

export const ANSWERS = {
  printer: {
    ...{ make: 'EPSON', model: 'TM-T20III', columns: '48', dots: '576', pages: 'epson', cut: 'clean', picture: 'yes' },
    ...{ symbols: 'both', drawer: 'yes', 'drawer-2': 'yes', 'drawer-5': 'no' },
  },
  scanner: { make: 'Honeywell', model: 'HID POS scanner' },
  scale: { make: 'DYMO', model: 'M10', weight: '5 g' },
} as const;
export type Kind = keyof typeof ANSWERS;

/** DLE EOT 1 on port 9100 makes the node read the status of the printer at once. */
async function readStatus(raw: string): Promise<void> {
  const [host = '', port = ''] = raw.split(':');
  const socket = connect({ host, port: Number(port) });
  await once(socket, 'connect');
  socket.end(Buffer.from([0x10, 4, 1]));
  socket.resume();
  await once(socket, 'close');
}

/** What does what a question asks for, at a twin with this client and port 9100. */
export function movesAt({ twin }: NodeClient, raw: string) {
  const printer = async (change: Parameters<typeof twin.printer>[0]) => {
    await twin.printer(change);
    await readStatus(raw);
  };
  const replug = async (name: string) => {
    const { devices } = await twin.devices();
    const { vendorId = '', productId = '' } = devices.find((device) => device.name === name) ?? {};
    const ids: TwinAttach = { vendorId, productId };
    await twin.attach({ ...ids, attached: false });
    await twin.attach(ids);
  };
  const moves: Readonly<Record<string, () => Promise<unknown>>> = {
    'drawer-seen': () => readStatus(raw),
    'drawer-closed': () => printer({ drawer: 'closed' }),
    'cover-open': () => printer({ cover: 'open' }),
    'cover-closed': () => printer({ cover: 'closed' }),
    'paper-out': () => printer({ paper: 'out' }),
    'paper-in': () => printer({ paper: 'ok' }),
    coin: () => twin.scale({ grams: 5 }),
    empty: () => twin.scale({ grams: 0 }),
    off: () => twin.scale({ attached: false }),
  };
  return async (kind: Kind, { id, text }: Pick<Question, 'id' | 'text'>): Promise<unknown> => {
    if (id === 'replug') return replug(kind);
    const [, value] = /^Hold code \d under the scanner: (.*)$/.exec(text) ?? [];
    return value === undefined ? moves[id]?.() : twin.scan({ value });
  };
}

export interface Going {
  readonly signal?: AbortSignal;
  readonly answers?: Readonly<Record<string, string>>;
  /** In the place of the move that a question asks for. */
  readonly instead?: Readonly<Record<string, () => Promise<unknown>>>;
}

export async function startCounter() {
  const node = await startTestNode({ plugins: twinPlugins, devices: twinDevices });
  const client = new NodeClient({ url: node.url });
  const move = movesAt(client, node.raw ?? '');
  return {
    node,
    client,
    certify: (kind: Kind, { signal = new AbortController().signal, answers = {}, instead = {} }: Going = {}) => {
      const { tour } = ROOMS[kind] ?? {};
      if (tour === undefined) throw new Error(`no room certifies a ${kind}`);
      let moved: Promise<unknown> = Promise.resolve();
      const asks = answersFrom({ ...ANSWERS[kind], ...answers }, (question, answer) => {
        if (answer !== 'skip') moved = instead[question.id]?.() ?? move(kind, question);
      });
      const host = { ...asks, step: () => {}, show: async () => {} };
      return certify({ tour, client, host, signal, waitMs: 20_000 }).finally(() => moved);
    },
  };
}

/** Certificates of the twin's own devices, each made once. */
const made = new Map<Kind, Promise<Certificate>>();
export function certificateOf(kind: Kind): Promise<Certificate> {
  const make = async () => {
    const { node, certify: run } = await startCounter();
    return run(kind).finally(() => node.stop());
  };
  const certificate = made.get(kind) ?? make();
  made.set(kind, certificate);
  return certificate;
}
