/** The recipe table of the cloud: fetched each hour where it changed, taken whole or not at all, kept for the next boot. */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { parseJson } from '../../http/body.ts';
import type { Outbound } from '../../http/outbound.ts';
import { under } from '../../http/urls.ts';
import { ensureDeviceId } from '../../kernel/device-id.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { RecipeTable } from '../../kernel/recipes.ts';
import { RecipeDocument } from './contract.ts';
import { cloudOf, fieldsFor } from './settings.ts';

export const RECIPES_EVERY_MS = 3_600_000;
const DEADLINE_MS = 30_000;
/** With its first line the file stays under the mebibyte that storage reads back. */
const LIMIT_BYTES = 1_000_000;
/** What a table of that size takes while it is read and checked. */
const MEMORY_BYTES = 16 * LIMIT_BYTES;
const MAX_ETAG = 256;
/** The table as it came, after a line of JSON: the URL it is of, and its entity tag. */
const FILE = 'recipes.cached';

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

export class Recipes {
  readonly #kernel: Kernel;
  readonly #outbound: Outbound;
  readonly #deadlineMs: number;
  /** Of the table that is in use: '' where it has none, or there is none. */
  #etag = '';
  #digest = '';

  constructor(kernel: Kernel, outbound: Outbound, deadlineMs = DEADLINE_MS) {
    this.#kernel = kernel;
    this.#outbound = outbound;
    this.#deadlineMs = deadlineMs;
  }

  everyMs(): number | undefined {
    return cloudOf(this.#kernel.settings).url === '' ? undefined : RECIPES_EVERY_MS;
  }

  /** The kept table becomes the cached tier, if it is of the URL that is set and this image can use all of it. Never rejects. */
  async load(): Promise<void> {
    const { bindings, settings, log } = this.#kernel;
    try {
      const file = Buffer.from((await bindings.storage.read(FILE)) ?? []);
      if (file.length === 0) return;
      const end = file.indexOf('\n');
      const { url, etag } = JSON.parse(file.toString('utf8', 0, end)) as Record<string, unknown>;
      if (url !== cloudOf(settings).url) return;
      const table = file.subarray(end + 1);
      this.#replace('cached', this.#rowsOf(table));
      this.#digest = digestOf(table);
      this.#etag = typeof etag === 'string' ? etag : '';
    } catch (error) {
      log.warn({ reason: String(error).slice(0, 200) }, 'the kept recipe table is not used');
    }
  }

  /** What a cloud said is gone with its URL; devices that are bound stay so. */
  async forget(): Promise<void> {
    this.#etag = '';
    this.#digest = '';
    this.#replace('cloud', []);
    this.#replace('cached', []);
    await this.#kernel.bindings.storage.remove(FILE).catch(() => {});
  }

  /** Rejects where there is no usable table to be had; the one in use then stays. */
  async fetch(signal: AbortSignal): Promise<void> {
    const { settings, image, bindings } = this.#kernel;
    const { url, token } = cloudOf(settings);
    if (bindings.host.memoryLeft() < MEMORY_BYTES) throw new Error('out of memory');
    const { status, headers, body } = await this.#outbound.read(
      'GET',
      {
        url: under(url, `recipes?${new URLSearchParams({ node: await ensureDeviceId(settings) })}`),
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
      this.#replace('cloud', rows);
      // A row that the cloud took back must not live on in the table of before.
      this.#replace('cached', []);
      await this.#keep(url, etag, body);
    }
    if (signal.aborted) return;
    this.#digest = digest;
    this.#etag = etag;
  }

  /** Throws what is wrong with the table: one faulty row is enough. */
  #rowsOf(bytes: Buffer): readonly unknown[] {
    const { contract, composition } = this.#kernel;
    const document = parseJson(bytes);
    const fault = contract.fault(RecipeDocument, document);
    if (fault !== undefined) throw new Error(`not a recipe table: ${fault.path} ${fault.message}`);
    const { rows } = document as RecipeDocument;
    const [refused] = new RecipeTable([]).replace('cloud', rows, composition.codecs).refused;
    if (refused !== undefined) throw new Error(`recipe table refused: row ${refused.index}: ${refused.reason}`);
    return rows;
  }

  #replace(tier: 'cloud' | 'cached', rows: readonly unknown[]): void {
    this.#kernel.recipes.replace(tier, rows, this.#kernel.composition.codecs);
  }

  async #keep(url: string, etag: string, table: Buffer): Promise<void> {
    const { bindings, log } = this.#kernel;
    const file = Buffer.concat([Buffer.from(`${JSON.stringify({ url, etag })}\n`), table]);
    await bindings.storage.write(FILE, file).catch((error: unknown) => {
      log.warn({ reason: String(error).slice(0, 200) }, 'recipe table not kept for the next boot');
    });
  }
}
