/** Sends a sentence to the cloud, which returns receipt lines, and prints them if the request asks for it. */
import type { IncomingMessage } from 'node:http';
import type { TSchema } from '@sinclair/typebox';
import type { PrintCommand } from '../../../plugins/printer/contract.ts';
import { defined } from '../../base/defined.ts';
import { parseJson } from '../../http/body.ts';
import type { Outbound } from '../../http/outbound.ts';
import { addressOf } from '../../http/peer.ts';
import { under } from '../../http/urls.ts';
import type { Command } from '../../kernel/command.ts';
import type { Node } from '../../kernel/node.ts';
import { wordsOf } from '../../kernel/validator.ts';
import { ComposeAnswer, type ComposeBody, type ComposeRequest } from './contract.ts';

const DEADLINE_MS = 30_000;
/** As large as a body of POST /print. */
const ANSWER_BYTES = 256 * 1024;
/** Memory for the cloud's response, its lines and the response of the node. */
const MEMORY_BYTES = 8 * ANSWER_BYTES;
const AT_A_TIME = 2;
/** Referred to by name: the schema belongs to the room `printer`. */
const PRINT_COMMAND = { $id: 'PrintCommand' } as TSchema;

/** A refusal. `status`: HTTP status; default: that of the code. */
export interface Refused {
  readonly error: string;
  readonly detail?: string;
  readonly status?: number;
}
/** The result: a refusal, or lines and, if they were printed, the result of the command. */
export type ComposeOutcome =
  | { readonly refused: Refused }
  | { readonly lines: PrintCommand['lines']; readonly result?: object };

const failed = (detail: string, status?: number): { readonly refused: Refused } => ({
  refused: { error: 'compose_failed', detail, ...defined({ status }) },
});

/** What a request that may print brings. */
interface Printing extends Pick<Command, 'begin'> {
  /** Called with the print command before it is run. */
  readonly prints: (command: Command) => void;
}

/** Composes receipts: at most two requests at a time. */
export class Composer {
  readonly #node: Node;
  readonly #outbound: Outbound;
  readonly #deadlineMs: number;
  #underWay = 0;

  constructor(node: Node, outbound: Outbound, deadlineMs = DEADLINE_MS) {
    this.#node = node;
    this.#outbound = outbound;
    this.#deadlineMs = deadlineMs;
  }

  /**
   * Handles one request; never rejects for a fault of the cloud. Prints nothing if the client has closed its
   * connection.
   */
  async compose(body: ComposeBody, { socket }: IncomingMessage, printing: Printing): Promise<ComposeOutcome> {
    const { settings, bindings } = this.#node;
    const { url = '', token = '' } = settings.read('cloud') ?? {};
    const capable = this.#node.endpoint(body.endpoint)?.declaration.capabilities.includes('print') === true;
    if (!capable)
      return {
        refused: {
          error: 'unknown_endpoint',
          detail: `no printer endpoint ${JSON.stringify(body.endpoint)}`,
          status: 409,
        },
      };
    if (url === '' || token === '') return { refused: { error: 'cloud_not_configured' } };
    if (bindings.host.memoryLeft() < MEMORY_BYTES) return failed('out of memory', 500);
    if (this.#underWay >= AT_A_TIME) return failed(`${AT_A_TIME} requests are in progress already`);

    const gone = new AbortController();
    const leave = () => gone.abort();
    socket.once('close', leave);
    // A request that may take a minute, and that nobody waits for any more.
    socket.once('end', leave);
    this.#underWay += 1;
    try {
      const answer = await this.#relay(body, url, token, gone.signal);
      if (typeof answer === 'string') return failed(answer);
      return await this.#print(body, answer, addressOf(socket), printing);
    } finally {
      this.#underWay -= 1;
      socket.off('close', leave);
      socket.off('end', leave);
    }
  }

  /** Sends the sentence to the cloud. Resolves with the parsed response, or with what is wrong as text. */
  async #relay(
    { id, prompt }: ComposeBody,
    url: string,
    token: string,
    signal: AbortSignal,
  ): Promise<ComposeAnswer | string> {
    const { deviceId, config, image, contract } = this.#node;
    const request: ComposeRequest = { id, prompt, columns: config.get('printWidthCols') };
    try {
      const { status, body } = await this.#outbound.read(
        'POST',
        {
          // In its own name, as the token may be its own.
          url: under(url, `compose?${new URLSearchParams({ node: deviceId })}`),
          headers: {
            'User-Agent': `tillnode/${image.version} (${image.variant})`,
            'Content-Type': 'application/json',
            Authorization: `Bearer ${token}`,
          },
          body: JSON.stringify(request),
          deadlineMs: this.#deadlineMs,
          signal,
        },
        ANSWER_BYTES,
      );
      if (status !== 200) return `the cloud answered ${status}`;
      const answer = parseJson(body);
      const fault = contract.fault(ComposeAnswer, answer);
      return fault === undefined
        ? (answer as ComposeAnswer)
        : `the cloud answered 200, but not lines: ${wordsOf(fault)}`;
    } catch (error) {
      return (error as Error).message.slice(0, 200);
    }
  }

  async #print(
    { id, endpoint, print }: ComposeBody,
    { lines }: ComposeAnswer,
    from: string,
    { begin, prints }: Printing,
  ): Promise<ComposeOutcome> {
    const command = { type: 'print', id, endpoint, lines };
    const fault = this.#node.contract.fault(PRINT_COMMAND, command);
    if (fault !== undefined) {
      const detail = `the cloud answered 200, but not lines: ${wordsOf(fault)}`;
      const strange = fault.keyword === 'discriminator' && /^lines\/\d+$/.test(fault.path);
      return strange ? { refused: { error: 'unsupported_line_type', detail } } : failed(detail);
    }
    const checked = command as PrintCommand;
    const composed = { lines: checked.lines };
    if (print !== true) return composed;
    const asked = { from, begin, ...checked };
    prints(asked);
    const result = await this.#node.command(asked);
    if (result.ok) return { ...composed, result };
    const { error = 'write_failed', detail } = result;
    return { refused: { error, ...defined({ detail }) } };
  }
}
