/** One connection of the front, and which one gives way to a new one. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Pieces } from './pieces.ts';

/** A request and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Event of a socket, at each check of its connection while a request waits behind the answer that is under way. */
export const FOLLOWED = 'followed';

/** An open connection. */
export interface Connection {
  readonly socket: Socket;
  readonly address: string;
  /** Whether it has one of the places that are kept, for reads and what puts a node right. */
  readonly isKept: boolean;
  readonly openedAt: number;
  /** The request that arrived last; with pipelining it may wait. */
  last: Exchange | undefined;
  /** The request that is served now, or was served last. */
  served: Exchange | undefined;
  /** Bytes that have left, when that number last changed or nothing was left to send, and when that was. */
  left: number;
  leftAt: number;
  /** Where it is read in pieces. */
  pieces: Pieces | undefined;
}

/** Whether the request has arrived and its response has not left. */
export const isAnswering = (exchange: Exchange | undefined): boolean =>
  exchange?.request.complete === true && !exchange.response.writableFinished;

/** What a connection is worth to its client, the least first. */
const STAGES = ['silent', 'idle', 'receiving', 'answered'] as const;
type Stage = (typeof STAGES)[number];

/** What decides who gives way. */
export type Claim = Pick<Connection, 'address' | 'last' | 'served'>;

/** Undefined for a connection that is never cut for another: its client waits to be told what came of a command. */
function stageOf({ last, served }: Claim): Stage | undefined {
  if (last === undefined) return 'silent';
  if (served !== undefined && isAnswering(served)) {
    const { request, response } = served;
    return response.headersSent || request.method === 'GET' || request.method === 'HEAD' ? 'answered' : undefined;
  }
  return last.request.complete ? 'idle' : 'receiving';
}

/**
 * The connection that gives way to a new one of `address`: one of the client that has most, first what is worth least, then
 * the oldest. A client that has fewer than the newcomer loses none, and only one that has more loses an answer.
 */
export function whoGivesWay<Each extends Claim>(open: readonly Each[], address: string): Each | undefined {
  const held = new Map<string, number>([[address, 1]]);
  for (const each of open) held.set(each.address, (held.get(each.address) ?? 0) + 1);
  const own = held.get(address) ?? 1;
  let found: { readonly connection: Each; readonly has: number; readonly worth: number } | undefined;
  for (const connection of open) {
    const stage = stageOf(connection);
    const has = held.get(connection.address) ?? 0;
    if (stage === undefined || has < own || (stage === 'answered' && has <= own)) continue;
    const worth = STAGES.indexOf(stage);
    if (found !== undefined && (has < found.has || (has === found.has && worth >= found.worth))) continue;
    found = { connection, has, worth };
  }
  return found?.connection;
}
