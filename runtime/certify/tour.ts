/**
 * What a device room brings to certify its devices, in its `certify.ts`: the questions, and the steps that ask them. It
 * runs in a terminal, from a file of answers and in a browser, and so takes nothing of Node. What is asked and reported is in the
 * language of the page (`speech`), in a terminal in English; facts and options are data, the same in each.
 */

import { speech } from '../base/speech.ts';
import type { NodeClient } from '../client/client.ts';
import type { ConfigKeys, NodeEvent } from '../kernel/registry.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

/** One question to the person with the device; its answer is text. */
export interface Question {
  /** Unique in its tour; the key of its answer in a file of answers. */
  readonly id: string;
  readonly text: string;
  /** The answers there are, each with its meaning; left out where any text is one. */
  readonly choices?: Readonly<Record<string, string>>;
  /** Something to do, of which the node learns from the device itself: it is answered by `do`, or by `skip`. */
  readonly awaited?: boolean;
  /** What is awaited is needed for all that follows: it is not offered to skip it. */
  readonly needed?: boolean;
  /** The code that it is about: to be seen beside it where codes are shown on the screen. */
  readonly code?: Code;
  /** Where it is left out, the question must be answered. */
  readonly default?: string;
}

/** The answers to a question with `awaited`. */
export const DO = 'do';
export const SKIP = 'skip';

/** Bytes for a device through the API, as a step sent them. */
export interface Sent {
  /** One of those that its tour `sends`. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The result of a command. */
export interface CommandOutcome {
  readonly ok: boolean;
  readonly outcome?: string;
  readonly bytes?: number;
  /** From the request to its result. */
  readonly ms: number;
}

/** A transfer of the device, as GET /capture tells it. */
export interface Transfer {
  readonly direction: 'in' | 'out';
  /** Milliseconds since the node started. */
  readonly tMs: number;
  readonly data: Uint8Array;
}

/** What a step works with. Every wait ends: by an event, by the person or by its time. */
export interface Run {
  readonly client: NodeClient;
  readonly endpoint: string;
  /** Asks a question of the tour; `shown` is put behind its text. */
  ask(id: string, shown?: string): Promise<string>;
  /**
   * Asks for something to be done, and resolves to what `find` gives for the first event that shows it; to undefined
   * where the person skips it or its time is over. What crossed the bus meanwhile is recorded, and must give
   * the fields of `find` again when the recording is played.
   */
  awaited<T extends Readonly<Record<string, unknown>>>(
    id: string,
    find: (event: NodeEvent) => T | undefined,
  ): Promise<T | undefined>;
  /** As `awaited`, by looking again and again: what it sees is not played again. */
  looked<T>(id: string, look: () => Promise<T | undefined>): Promise<T | undefined>;
  /** Sends a command, and records what crosses the bus. With `reply`: until the device has sent that, at most 5 s. */
  send(sent: Sent, reply?: (transfer: Transfer) => boolean): Promise<CommandOutcome & { readonly replied?: Transfer }>;
  /** Shows codes to hold under a scanner, for as long as the run lasts. */
  show(codes: readonly Code[]): Promise<void>;
  /** Something measured, or answered. */
  fact(name: string, value: string | number | boolean): void;
  /** An option of the recipe row. */
  option(name: string, value: unknown): void;
  /** A sentence of the report, for the person; who reads the certificate has the facts. */
  say(sentence: string): void;
}

/** A code to hold under a scanner. */
export interface Code {
  readonly symbology: 'code128' | 'qr';
  readonly value: string;
}

/** One thing that is tried. */
export interface Step {
  readonly id: string;
  readonly title: string;
  run(run: Run): Promise<void>;
}

/** What the node asks a device from time to time by itself, and how the device answers. It is no part of a step. */
export interface Idle {
  readonly question: Uint8Array;
  /** A control request that it also makes by itself (bmRequestType, bRequest). */
  readonly request: readonly [requestType: number, request: number];
  /** Length of the answer. */
  readonly bytes: number;
  isAnswer(data: Uint8Array): boolean;
}

/** How devices of one kind are certified. */
export interface Tour {
  readonly kind: string;
  /** What a shop calls such a device. */
  readonly name: string;
  /** Keys of the configuration that decide which bytes a device gets, and what is made of its bytes. */
  readonly config: readonly (keyof ConfigKeys)[];
  /** Paths of the commands (POST) that its steps send; left out where a device is only listened to. */
  readonly sends?: readonly string[];
  readonly idle?: Idle;
  /** Questions beside those that every tour asks (`QUESTIONS`). */
  readonly questions: readonly Question[];
  readonly steps: readonly Step[];
}

/** What every tour asks first. */
export const QUESTIONS: readonly Question[] = [
  { id: 'make', text: say('make') },
  { id: 'model', text: say('model') },
  {
    id: 'replug',
    needed: true,
    text: say('replug'),
    awaited: true,
    default: DO,
  },
];
