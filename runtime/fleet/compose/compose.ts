/**
 * Receipt lines from a sentence, by a model: any server that speaks the OpenAI chat API and takes a JSON schema for its
 * answer (llama.cpp, ollama, vLLM).
 */
import { type TSchema, Type } from '@sinclair/typebox';
import {
  BannerLine,
  BarcodeLine,
  ColumnsLine,
  CutLine,
  FeedLine,
  Line,
  RuleLine,
  TextLine,
} from '../../../plugins/printer/contract.ts';
import { compiledOnce } from '../../base/ajv.ts';
import { closed } from '../../base/schema.ts';
import type { ComposeRequest } from '../../http/contract.ts';
import { Outbound } from '../../http/outbound.ts';
import type { Refuses } from '../../http/targets.ts';
import { type CompiledValidator, Contract, wordsOf } from '../../kernel/validator.ts';
import { Busy, Refusal } from '../http/errors.ts';
import type { Settings } from '../settings/contract.ts';

/** Below the 30 s that a node waits. */
const DEADLINE_MS = 25_000;
const ANSWER_BYTES = 256 * 1024;
const LINES = 100;
/** Questions to the model at a time, of one process, and of one node: others are to have places, too. */
const AT_A_TIME = 4;
const OF_ONE = 2;

/** What nodes print, for the check of an answer. */
const Lines = closed({ lines: Type.Array(Line, { minItems: 1, maxItems: LINES }) }, { $id: 'ComposedLines' });

/** The same for the model, which draws no rasters; in keywords that grammars are made of. */
const ASKED = {
  type: 'object',
  additionalProperties: false,
  required: ['lines'],
  properties: {
    lines: {
      type: 'array',
      minItems: 1,
      maxItems: LINES,
      items: { anyOf: [TextLine, ColumnsLine, BannerLine, RuleLine, FeedLine, CutLine, BarcodeLine] },
    },
  },
};
const systemOf = (columns: number) =>
  `You write receipts for a thermal printer with ${columns} columns. Answer with JSON: an object with the array "lines". ` +
  'Line types: text, columns (cells side by side), banner (block letters, few characters), rule, feed, cut, barcode. ' +
  'Keep it short, in the language of the request, without inventing prices or names, and end with a cut.';

/** Asks the model; bounded. */
export class Composer {
  readonly #contract: Contract;
  readonly #outbound: Outbound;
  readonly #deadlineMs: number;
  /** The nodes that ask, each as often as it does. */
  #asking: readonly string[] = [];

  /** `refuses`: where nothing is sent to. */
  constructor(refuses: Refuses, deadlineMs = DEADLINE_MS) {
    this.#outbound = new Outbound({ refuses });
    this.#contract = new Contract({ ComposedLines: compiledOnce(Lines) as CompiledValidator });
    this.#deadlineMs = deadlineMs;
  }

  /** Resolves with lines that this node prints. Rejects with the Refusal `compose_failed`, or with Busy. */
  async compose(
    node: string,
    { compose }: Settings,
    { prompt, columns }: ComposeRequest,
  ): Promise<{ readonly lines: unknown[] }> {
    if (compose.url === '') throw new Refusal('compose_failed', 'no model is set: PUT /api/settings {"compose": …}');
    const own = this.#asking.filter((each) => each === node);
    if (this.#asking.length >= AT_A_TIME || own.length >= OF_ONE) throw new Busy('the model has enough to do');
    this.#asking = [...this.#asking, node];
    try {
      return this.#checked(await this.#ask(compose, prompt, columns));
    } finally {
      this.#asking = this.#asking.toSpliced(this.#asking.indexOf(node), 1);
    }
  }

  async #ask({ url, model, key }: Settings['compose'], prompt: string, columns: number): Promise<string> {
    try {
      const outgoing = {
        url: `${url.replace(/\/+$/, '')}/chat/completions`,
        headers: { 'Content-Type': 'application/json', ...(key !== '' && { Authorization: `Bearer ${key}` }) },
        body: JSON.stringify({
          model,
          messages: [
            { role: 'system', content: systemOf(columns) },
            { role: 'user', content: prompt },
          ],
          response_format: { type: 'json_schema', json_schema: { name: 'receipt', schema: plain(ASKED) } },
        }),
        deadlineMs: this.#deadlineMs,
      };
      const { status, body } = await this.#outbound.read('POST', outgoing, ANSWER_BYTES);
      if (status !== 200) throw new Error(`the model answered ${status}`);
      const { choices } = JSON.parse(body.toString()) as { choices?: { message?: { content?: unknown } }[] };
      const content = choices?.[0]?.message?.content;
      if (typeof content !== 'string') throw new Error('the model answered without a message');
      return content;
    } catch (error) {
      throw new Refusal('compose_failed', (error as Error).message.slice(0, 200));
    }
  }

  #checked(content: string): { readonly lines: unknown[] } {
    let answer: unknown;
    try {
      answer = JSON.parse(content);
    } catch {
      throw new Refusal('compose_failed', 'the model answered something else than JSON');
    }
    const fault = this.#contract.fault(Lines, answer);
    if (fault === undefined) return answer as { lines: unknown[] };
    throw new Refusal('compose_failed', `the model did not answer lines: ${wordsOf(fault)}`);
  }
}

/** The schema without what is not JSON Schema: the markers of the schema library are symbols, which JSON leaves out. */
const plain = (schema: unknown): TSchema => JSON.parse(JSON.stringify(schema)) as TSchema;
