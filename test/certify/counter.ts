/** A twin whose devices are certified: what a person does with the devices, its bench does. */
import { onTestFinished } from 'vitest';
import { answersFrom } from '../../runtime/certify/answers.ts';
import { certify } from '../../runtime/certify/certify.ts';
import type { Tour } from '../../runtime/certify/tour.ts';
import { NodeClient } from '../../runtime/client/client.ts';
import { startTestNode } from '../../runtime/node/testing.ts';
import type { Certificate } from '../../runtime/recipes/certificate.ts';
import { twinDevices } from '../devices.ts';
import { twinPlugins } from '../plugins.ts';
import type { Counter } from './person.ts';
import { type Room, roomOf } from './stages.ts';

/** A twin answers at once. */
const LOOK_MS = 20;

/** Does what the question of this id asks for. */
export function moverAt(counter: Counter, { plugin, person }: Room) {
  const { twin } = counter.client;
  const moves = person.moves(counter);
  const replug = async () => {
    const { devices } = await twin.devices();
    const { vendorId = '', productId = '' } = devices.find(({ name }) => name === plugin.name) ?? {};
    await twin.attach({ vendorId, productId, attached: false });
    await twin.attach({ vendorId, productId });
  };
  return async (id: string): Promise<unknown> => (id === 'replug' ? replug() : moves[id]?.());
}

export interface Going {
  readonly signal?: AbortSignal;
  readonly answers?: Readonly<Record<string, string>>;
  /** In the place of what the tour of the room has. */
  readonly tour?: Partial<Tour>;
  /** In the place of the move that a question asks for. */
  readonly instead?: Readonly<Record<string, () => Promise<unknown>>>;
}

async function openCounter() {
  const node = await startTestNode({ plugins: twinPlugins, devices: twinDevices });
  const client = new NodeClient({ url: node.url });
  return {
    stop: () => node.stop(),
    client,
    certify: async (
      kind: string,
      { signal = new AbortController().signal, answers = {}, tour = {}, instead = {} }: Going = {},
    ) => {
      const room = roomOf(kind);
      const move = moverAt({ client, raw: node.raw ?? '' }, room);
      let moved: Promise<unknown> = Promise.resolve();
      const asks = answersFrom({ ...room.person.answers, ...answers }, ({ id }, answer) => {
        if (answer === 'skip') return;
        moved = Promise.all([moved, instead[id]?.() ?? move(id)]);
        // It is told at the end, with the certificate.
        moved.catch(() => {});
      });
      const host = { ...asks, step: () => {}, show: async () => {} };
      const going = { tour: { ...room.tour, ...tour }, client, host, signal, waitMs: 20_000, lookMs: LOOK_MS };
      return certify(going).finally(() => moved);
    },
  };
}

/** Stops with the test. */
export async function startCounter() {
  const counter = await openCounter();
  onTestFinished(counter.stop);
  return counter;
}

/** Certificates of the twin's own devices, each made once. */
const made = new Map<string, Promise<Certificate>>();
export function certificateOf(kind: string): Promise<Certificate> {
  const make = async () => {
    const { stop, certify: run } = await openCounter();
    return run(kind).finally(stop);
  };
  const certificate = made.get(kind) ?? make();
  made.set(kind, certificate);
  return certificate;
}
