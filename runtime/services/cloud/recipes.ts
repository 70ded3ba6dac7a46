/** The recipe table of the cloud: fetched every hour, its valid rows used, stored for the next start. */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { defined } from '../../base/defined.ts';
import { messageOf } from '../../base/thrown.ts';
import { parseJson } from '../../http/body.ts';
import type { Outbound } from '../../http/outbound.ts';
import { under } from '../../http/urls.ts';
import type { Node } from '../../kernel/node.ts';
import { wordsOf } from '../../kernel/validator.ts';
import { type CloudPart, RecipeDocument } from './contract.ts';
import { cloudOf, fieldsFor } from './settings.ts';

/** Interval of fetches. */
export const RECIPES_EVERY_MS = 3_600_000;
/** From a first failure to the next fetch: a router or a cloud that starts with the node is up by then. */
export const RECIPES_RETRY_MS = 60_000;
const DEADLINE_MS = 30_000;
/** Largest table: with its first line, the file stays below 1 MiB, which storage can read. */
const LIMIT_BYTES = 1_000_000;
/** Memory that such a table needs while it is parsed and checked. */
const MEMORY_BYTES = 16 * LIMIT_BYTES;
const MAX_ETAG = 256;
const MAX_FAULT = 200;
/** Number of refused rows that are listed. */
const MAX_NAMED = 16;
/** The status without a table. */
const NONE: CloudPart['cloud']['recipes'] = { taken: 0, refused: 0, faults: [] };
/** Name of the stored file: one line of JSON with URL and entity tag, then the table as received. */
const FILE = 'recipes.cached';

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Keeps the tiers `cloud` and `cached` of the recipes up to date. */
export class Recipes {
  readonly #node: Node;
  readonly #outbound: Outbound;
  readonly #deadlineMs: number;
  /** Entity tag of the table in use; '' if there is no tag or no table. */
  #etag = '';
  #digest = '';
  #taken = NONE;
  /** Why the last fetch failed. */
  #fault: string | undefined;

  constructor(node: Node, outbound: Outbound, deadlineMs = DEADLINE_MS) {
    this.#node = node;
    this.#outbound = outbound;
    this.#deadlineMs = deadlineMs;
  }

  /** How many rows of the table in use were accepted and refused, and whether the last fetch failed. */
  get status(): CloudPart['cloud']['recipes'] {
    return { ...this.#taken, ...defined({ fault: this.#fault }) };
  }

  /** Interval of fetches; undefined without a cloud. */
  everyMs(): number | undefined {
    return cloudOf(this.#node.settings).url === '' ? undefined : RECIPES_EVERY_MS;
  }

  /** Uses the stored table as the tier `cached`, if it is from the configured URL. Never rejects. */
  async load(): Promise<void> {
    const { bindings, settings, log } = this.#node;
    try {
      const file = Buffer.from((await bindings.storage.read(FILE)) ?? []);
      if (file.length === 0) return;
      const end = file.indexOf('\n');
      const { url, etag } = JSON.parse(file.toString('utf8', 0, end)) as Record<string, unknown>;
      if (url !== cloudOf(settings).url) return;
      const table = file.subarray(end + 1);
      this.#take('cached', this.#rowsOf(table));
      this.#digest = digestOf(table);
      this.#etag = typeof etag === 'string' ? etag : '';
    } catch (error) {
      log.warn({ reason: String(error).slice(0, 200) }, 'the stored recipe table is not used');
    }
  }

  /** Removes the table, in memory and on the disk, as the URL has changed. Bound devices stay bound. */
  async forget(): Promise<void> {
    this.#etag = '';
    this.#digest = '';
    this.#replace('cloud', []);
    this.#replace('cached', []);
    this.#taken = NONE;
    this.#fault = undefined;
    await this.#node.bindings.storage.remove(FILE).catch(() => {});
  }

  /** Fetches the table and uses it. Rejects if the cloud sends no valid table; the one in use then stays. */
  async fetch(signal: AbortSignal): Promise<void> {
    try {
      await this.#fetch(signal);
      if (!signal.aborted) this.#fault = undefined;
    } catch (error) {
      if (!signal.aborted) this.#fault = messageOf(error).slice(0, MAX_FAULT);
      throw error;
    }
  }

  async #fetch(signal: AbortSignal): Promise<void> {
    const { deviceId, settings, image, bindings } = this.#node;
    const { url, token } = cloudOf(settings);
    if (bindings.host.memoryLeft() < MEMORY_BYTES) throw new Error('out of memory');
    const { status, headers, body } = await this.#outbound.read(
      'GET',
      {
        url: under(url, `recipes?${new URLSearchParams({ node: deviceId })}`),
        headers: { ...fieldsFor(token, image), ...(this.#etag !== '' && { 'If-None-Match': this.#etag }) },
        deadlineMs: this.#deadlineMs,
        signal,
      },
      LIMIT_BYTES,
    );
    if (status === 304 || signal.aborted) return;
    if (status !== 200) throw new Error(`the cloud answered ${status}`);
    const digest = digestOf(body);
    const etag = headers.etag !== undefined && headers.etag.length <= MAX_ETAG ? headers.etag : '';
    if (digest !== this.#digest) {
      const rows = this.#rowsOf(body);
      this.#take('cloud', rows);
      // A row that the new table no longer has must not be found in the stored one.
      this.#replace('cached', []);
      await this.#keep(url, etag, body);
    }
    if (signal.aborted) return;
    this.#digest = digest;
    this.#etag = etag;
  }

  /** The rows of a table; throws if it is not one. */
  #rowsOf(bytes: Buffer): readonly unknown[] {
    const { contract } = this.#node;
    const document = parseJson(bytes);
    const fault = contract.fault(RecipeDocument, document);
    if (fault !== undefined) throw new Error(`not a recipe table: ${wordsOf(fault)}`);
    return (document as RecipeDocument).rows;
  }

  /** Uses the valid rows of a table as a tier, and logs the refused ones. */
  #take(tier: 'cloud' | 'cached', rows: readonly unknown[]): void {
    const { accepted, refused } = this.#replace(tier, rows);
    this.#taken = { taken: accepted, refused: refused.length, faults: refused.slice(0, MAX_NAMED) };
    if (refused.length > 0) this.#node.log.warn({ tier, ...this.#taken }, 'recipe rows refused');
  }

  #replace(tier: 'cloud' | 'cached', rows: readonly unknown[]) {
    return this.#node.recipes.replace(tier, rows);
  }

  async #keep(url: string, etag: string, table: Buffer): Promise<void> {
    const { bindings, log } = this.#node;
    const file = Buffer.concat([Buffer.from(`${JSON.stringify({ url, etag })}\n`), table]);
    await bindings.storage.write(FILE, file).catch((error: unknown) => {
      log.warn({ reason: String(error).slice(0, 200) }, 'recipe table not stored for the next start');
    });
  }
}
