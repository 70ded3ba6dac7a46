/**
 * Certifies one device: goes through the steps of its kind with the person who has it, through the API of the node, and
 * makes the certificate. What is switched on for it is switched off again, however it ends.
 */
import { defined } from '../base/defined.ts';
import { speech } from '../base/speech.ts';
import { type NodeClient, NodeError, type NodeEvent, type Status } from '../client/client.ts';
import { pause } from '../client/deadline.ts';
import type { Certificate, CertifiedStep } from '../recipes/certificate.ts';
import { anonymous, type CapturedRecord } from './anonymous.ts';
import { deviceOf } from './device.ts';
import { asPluggedIn, isBeforeBound, transferOf, withoutDevice } from './records.ts';
import {
  type Code,
  type CommandOutcome,
  DO,
  QUESTIONS,
  type Question,
  type Run,
  type Sent,
  SKIP,
  type Tour,
  type Transfer,
} from './tour.ts';
import words from './words/en.json' with { type: 'json' };

const tell = speech(words);

/** The one that asks the questions: a terminal, a file of answers, a page. */
export interface Host {
  /**
   * Resolves to an answer that the question has. A question with `awaited` is mostly answered by the device: then the
   * signal is aborted.
   */
  ask(question: Question, signal: AbortSignal): Promise<string>;
  /** Says that a step begins. */
  step(title: string): void;
  /** Shows codes to hold under a scanner. */
  show(codes: readonly Code[]): Promise<void>;
}

/** A device to certify. */
export interface Certifying {
  readonly tour: Tour;
  readonly client: NodeClient;
  /** Which one, where the node drives several; the first of the tour's kind if not given. */
  readonly endpoint?: string;
  readonly host: Host;
  /** Ends it: it rejects with the reason. */
  readonly signal: AbortSignal;
  /** How long something is waited for that a person has to do, in ms. */
  readonly waitMs: number;
  /** How long after one look at what no event tells the next one follows, in ms; 250 if not given. */
  readonly lookMs?: number;
}

const LOOK_MS = 250;
const REPLY_MS = 5000;
const MARK = 'certify';
/** How often, and how many times, the node is asked again to end its recording: longer than it takes to start anew. */
const OFF_MS = 500;
const OFF_TRIES = 40;

/** Rejects with an Error where the device cannot be certified, or with a NodeError; nothing is written then. */
export async function certify(certifying: Certifying): Promise<Certificate> {
  const { client } = certifying;
  const { capture: recorded } = await client.config(certifying);
  const session = new Session(certifying);
  try {
    if (!recorded) await client.configure({ capture: true }, certifying);
    return await session.run();
  } finally {
    session.end();
    if (!recorded) await switchOff(client);
  }
}

/** Whatever the reason is why it ends: a node that is starting anew goes on recording, and is asked until it answers. */
async function switchOff(client: NodeClient): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await client.configure({ capture: false });
      return;
    } catch (error) {
      if (tries === OFF_TRIES || !(error instanceof NodeError) || error.code !== 'unreachable') return;
      await pause(OFF_MS, undefined);
    }
  }
}

class Session implements Run {
  readonly client: NodeClient;
  endpoint: string;
  readonly #tour: Tour;
  readonly #host: Host;
  readonly #waitMs: number;
  readonly #lookMs: number;
  readonly #ending = new AbortController();
  readonly #signal: AbortSignal;
  readonly #listeners = new Set<(event: NodeEvent) => void>();
  readonly #startedAt = performance.now();
  readonly #answers: Record<string, string> = {};
  readonly #facts: Certificate['facts'] = {};
  readonly #options: Record<string, unknown> = {};
  readonly #report: string[] = [];
  /** By step: what is played again, and the records. */
  readonly #steps = new Map<string, { readonly step: CertifiedStep; readonly records: readonly CapturedRecord[] }>();
  /** Tells its jobs from those of another run at the same time. */
  readonly #run = `${MARK}-${crypto.getRandomValues(new Uint32Array(1))[0]!.toString(16)}`;
  #channel = '';
  #step = '';
  #sent = 0;

  constructor({ tour, client, endpoint = '', host, signal, waitMs, lookMs = LOOK_MS }: Certifying) {
    this.client = client;
    this.endpoint = endpoint;
    this.#tour = tour;
    this.#host = host;
    this.#waitMs = waitMs;
    this.#lookMs = lookMs;
    this.#signal = AbortSignal.any([signal, this.#ending.signal]);
    void this.#listen();
  }

  end(): void {
    this.#ending.abort();
  }

  async run(): Promise<Certificate> {
    const { kind, config: keys, steps } = this.#tour;
    const found = await this.#peripheral();
    if (found === undefined) throw new Error(tell('notDriven', { kind }));
    this.endpoint = found.endpoint;
    for (const { id, awaited } of QUESTIONS) if (!awaited) await this.ask(id);
    const { device, recipe } = await this.#replug();
    for (const { id, title, run } of steps) {
      this.#host.step(title);
      // Of a step that is tried on another run of the node, or with another device, nobody knows what came between.
      await this.#refuseOthers(device);
      await this.#refuseStrangers();
      [this.#step, this.#sent] = [id, 0];
      await run(this);
    }
    await this.#refuseOthers(device);
    // It was recorded how the device came, and nothing else.
    if (this.#steps.size < 2) throw new Error(tell('nothing'));
    await this.#refuseStrangers();
    const { identity } = await this.#status();
    const config = Object.entries(await this.client.config({ signal: this.#signal }));
    const { make = '', model = '', ...answers } = this.#answers;
    const { vendorId, productId } = device;
    const all = [...this.#steps.values()];
    const records = anonymous(all.flatMap((each) => each.records));
    const described = deviceOf(records, kind);
    const first = tell('saidDevice', {
      ...{ kind: this.#tour.name, device: `${make} ${model} (${vendorId}:${productId})` },
      node: `${identity.variant} ${identity.firmwareVersion}`,
    });
    return {
      format: 'tillnode-certificate-1',
      node: { variant: identity.variant, firmwareVersion: identity.firmwareVersion },
      endpoint: this.endpoint,
      drivenBy: { id: recipe.id, tier: recipe.tier },
      config: Object.fromEntries(config.filter(([key]) => (keys as readonly string[]).includes(key))),
      answers: { make, model, ...answers },
      facts: this.#facts,
      row: { vendorId, productId, make, model, kind, codec: recipe.codec, options: this.#options },
      report: [first, ...this.#report],
      steps: all.map(({ step }) => step),
      ...(described && { device: described }),
      recording: records.map((record) => `${JSON.stringify(record)}\n`).join(''),
    };
  }

  async ask(id: string, shown = ''): Promise<string> {
    const question = this.#question(id);
    const answer = await this.#host.ask({ ...question, text: `${question.text}${shown}` }, this.#signal);
    this.#signal.throwIfAborted();
    this.#answers[id] = answer;
    return answer;
  }

  async awaited<T extends Readonly<Record<string, unknown>>>(id: string, find: (event: NodeEvent) => T | undefined) {
    return this.#recorded(id, async () => {
      const saw = await this.#until<T>(id, (done) => {
        const listener = (event: NodeEvent) => {
          const found = find(event);
          if (found !== undefined) done(found);
        };
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      });
      return { result: saw, ...(saw && { step: { id, saw } }) };
    });
  }

  looked<T>(id: string, look: () => Promise<T | undefined>): Promise<T | undefined> {
    return this.#until<T>(id, (done, failed) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      let over = false;
      const again = () => {
        look().then((found) => {
          if (found !== undefined) done(found);
          else if (!over) timer = setTimeout(again, this.#lookMs);
        }, failed);
      };
      again();
      return () => {
        over = true;
        clearTimeout(timer);
      };
    });
  }

  async send({ path, body }: Sent, reply?: (transfer: Transfer) => boolean) {
    if (!this.#tour.sends?.includes(path)) throw new Error(`sends: ${path}`);
    this.#sent += 1;
    const id = `${this.#step}-${this.#sent}`;
    const command = { ...body, id: `${this.#run}-${id}`, endpoint: this.endpoint };
    return this.#recorded(id, async (marked) => {
      const from = performance.now();
      const { ok, outcome, bytes } = await this.client.request<CommandOutcome>('POST', path, command, {
        signal: this.#signal,
      });
      const ms = Math.round(performance.now() - from);
      const replied = reply === undefined ? undefined : await this.#reply(marked, reply);
      const result = {
        ok,
        ms,
        ...(outcome && { outcome }),
        ...defined({ bytes }),
        ...(replied && { replied }),
      };
      return { result, step: { id, sent: { path, body: command } } };
    });
  }

  show(codes: readonly Code[]): Promise<void> {
    return this.#host.show(codes);
  }

  fact(name: string, value: string | number | boolean): void {
    this.#facts[name] = value;
  }

  option(name: string, value: unknown): void {
    this.#options[name] = value;
  }

  say(sentence: string): void {
    this.#report.push(sentence);
  }

  #question(id: string): Question {
    const found = [...QUESTIONS, ...this.#tour.questions].find((question) => question.id === id);
    if (found === undefined) throw new Error(`question: ${id}`);
    return found;
  }

  /** Rejects where the node was restarted since the run began. */
  async #status(): Promise<Status> {
    const elapsed = (performance.now() - this.#startedAt) / 1000;
    const status = await this.client.status({ signal: this.#signal });
    // It tells whole seconds.
    if (status.uptimeSeconds + 1 < elapsed) throw new Error(tell('lost'));
    return status;
  }

  /** Rejects where another device has the endpoint now; one that is away may come back. */
  async #refuseOthers({ vendorId, productId }: { readonly vendorId: string; readonly productId: string }) {
    const { peripherals } = await this.#status();
    const now = peripherals.find(({ endpoint }) => endpoint === this.endpoint)?.device;
    if (
      now !== undefined &&
      (now.vendorId !== vendorId || now.productId !== productId || `usb:${now.port}` !== this.#channel)
    )
      throw new Error(tell('swapped'));
  }

  async #peripheral() {
    const { peripherals } = await this.#status();
    const ofKind = peripherals.filter(({ kind }) => kind === this.#tour.kind);
    const mine = ofKind.find(({ endpoint }) => endpoint === this.endpoint) ?? ofKind.find(isDriven);
    return mine && isDriven(mine) ? mine : undefined;
  }

  /** Waits until the device was pulled out and is driven again: so it is recorded from its first transfer on. */
  async #replug() {
    const { id } = this.#question('replug');
    const found = await this.#recorded(id, async (marked) => {
      let gone = false;
      const back = await this.looked(id, async () => {
        const now = await this.#peripheral();
        gone ||= now === undefined;
        if (now?.device === undefined || now.recipe === undefined) return undefined;
        this.#channel = `usb:${now.device.port}`;
        const { device, recipe } = now;
        return gone || (await this.#since(marked)).some(isBeforeBound) ? { device, recipe } : undefined;
      });
      return { result: back, ...(back && { step: { id } }) };
    });
    if (found === undefined) throw new Error(tell('notReplugged'));
    return found;
  }

  /** Records of the device, and marks, after the one with this number. Rejects where they did not fit the ring. */
  async #since(marked: number): Promise<CapturedRecord[]> {
    const records: CapturedRecord[] = [];
    for await (const record of this.client.capture({ signal: this.#signal })) records.push(record);
    // A node that was restarted meanwhile counts from 1 again.
    const at = records.findIndex(({ seq, text }) => seq === marked && text?.startsWith(`${MARK} `));
    if (at < 0) throw new Error(tell('lost'));
    return records.slice(at).filter(({ channel, text }) => channel === this.#channel || text?.startsWith(`${MARK} `));
  }

  /** Runs a step between two marks, and keeps what it says is played again, with the records. */
  async #recorded<T>(id: string, work: (marked: number) => Promise<{ result: T; step?: CertifiedStep }>): Promise<T> {
    this.#steps.delete(id);
    const seq = await this.#mark(`${MARK} ${id}`);
    const { result, step } = await work(seq);
    const end = await this.#mark(`${MARK} end`);
    if (step === undefined) return result;
    const since = await this.#since(seq);
    const records = since.slice(
      0,
      since.findIndex((record) => record.seq === end),
    );
    this.#steps.set(id, { step, records: this.#steps.size === 0 ? asPluggedIn(records) : withoutDevice(records) });
    return result;
  }

  /** Returns its number. Where no answer came it is sent again: a mark that is there twice does no harm. */
  async #mark(text: string): Promise<number> {
    const mark = () => this.client.mark({ text }, { signal: this.#signal });
    const { seq } = await mark().catch((error) => {
      if (!(error instanceof NodeError) || error.code !== 'unreachable') throw error;
      return mark();
    });
    return seq;
  }

  async #reply(marked: number, wanted: (transfer: Transfer) => boolean): Promise<Transfer | undefined> {
    const until = performance.now() + REPLY_MS;
    for (;;) {
      const found = (await this.#since(marked)).flatMap(transferOf).find(wanted);
      if (found !== undefined || performance.now() > until) return found;
      await pause(this.#lookMs, this.#signal);
    }
  }

  /** Resolves to what `watch` finds; to undefined where it is skipped or its time is over. */
  async #until<T>(
    id: string,
    watch: (done: (found: T) => void, failed: (error: unknown) => void) => () => void,
  ): Promise<T | undefined> {
    const over = new AbortController();
    let stop = () => {};
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      const found = await new Promise<T | undefined>((resolve, reject) => {
        this.#signal.addEventListener('abort', () => reject(this.#signal.reason), { signal: over.signal });
        this.#signal.throwIfAborted();
        timer = setTimeout(() => resolve(undefined), this.#waitMs);
        stop = watch(resolve, reject);
        this.#host.ask(this.#question(id), AbortSignal.any([this.#signal, over.signal])).then(
          (answer) => answer === SKIP && resolve(undefined),
          (error) => over.signal.aborted || reject(error),
        );
      });
      this.#answers[id] = found === undefined ? SKIP : DO;
      return found;
    } finally {
      clearTimeout(timer);
      stop();
      over.abort();
    }
  }

  async #listen(): Promise<void> {
    try {
      for await (const event of this.client.events({ signal: this.#signal }))
        for (const listener of this.#listeners) listener(event);
    } catch (error) {
      this.#ending.abort(error);
    }
  }

  /** Somebody else's receipts are nobody's business: what was recorded while they were printed goes nowhere. */
  async #refuseStrangers(): Promise<void> {
    const { jobs } = await this.client.jobs({ signal: this.#signal });
    const elapsed = performance.now() - this.#startedAt;
    const stranger = jobs.find(
      ({ id, endpoint, bytes, startedAgoMs, ms }) =>
        endpoint === this.endpoint && bytes > 0 && startedAgoMs - ms < elapsed && !id?.startsWith(`${this.#run}-`),
    );
    if (stranger !== undefined) throw new Error(tell('stranger', { kind: this.#tour.kind, job: stranger.kind }));
  }
}

const isDriven = ({ condition }: { readonly condition: string }) => condition === 'bound' || condition === 'silent';
