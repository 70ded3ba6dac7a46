/**
 * Plays a certificate: its recording is a device, which the node must drive with the same bytes, and understand as
 * then. All commands are played in one go, as a job can depend on those before it; each thing that the device said is
 * played by itself, right after the device was plugged in.
 */

import { type RecordLine, readRecording } from '../bindings/recording.ts';
import type { UsbSetup } from '../bindings/usb.ts';
import { type DeviceRecording, deviceIn, RecordedDevice } from '../bindings/virtual/replay.ts';
import type { Idle, Tour } from '../certify/tour.ts';
import type { Plugin } from '../kernel/plugin.ts';
import type { RecipeRow } from '../recipes/row.ts';
import { FEW_LOOKS, onBench, type RoomBench, until } from './bench.ts';

/** The room that drives it, its tour, and the rows that the node had: none where it worked one out. */
export interface Stage {
  readonly plugin: Plugin;
  readonly tour: Tour;
  readonly rows: readonly RecipeRow[];
}

/** What is played of a certificate. */
export interface PlayedCertificate {
  readonly config: Readonly<Record<string, unknown>>;
  /** In the order in which they were recorded: what was sent to the device, or which event showed what it did. */
  readonly steps: ReadonlyArray<{
    readonly id: string;
    readonly sent?: { readonly path: string; readonly body: Readonly<Record<string, unknown>> };
    readonly saw?: Readonly<Record<string, unknown>>;
  }>;
  /** NDJSON of GET /capture, with a mark before each step. */
  readonly recording: string;
}
/** What the device answers when the node asks it by itself, and on which pipe. */
interface Reading {
  readonly pipe: number;
  readonly data: Uint8Array;
}

/** Rejects with an Error that names the step where the node does something else than then. */
export async function play({ config, steps, recording }: PlayedCertificate, stage: Stage): Promise<void> {
  const { plugin, tour, rows } = stage;
  const endpoint = plugin.endpoints?.find(({ kind }) => kind === tour.kind)?.id ?? '';
  const lines = readRecording(recording);
  if (!lines.ok) throw new Error(lines.reason);
  const sections = sectionsOf(lines.value);
  const [first = []] = sections.values();
  const on = <T>(
    parts: readonly RecordLine[],
    reading: Reading | undefined,
    work: (bench: RoomBench, isOver: () => boolean) => Promise<T>,
  ) =>
    onBench({ plugin, endpoint, recipeFiles: filesOf(rows) }, async (bench) => {
      const found = deviceIn(parts.filter((line) => tour.idle === undefined || !isIdle(line, tour.idle)));
      if (!found.ok) throw new Error(found.reason);
      const device = new CertifiedDevice(found.value, tour.idle, reading);
      await call(bench, 'PUT', '/config', config);
      await bench.plug(device);
      await until('bound', () => bench.state().condition === 'bound');
      const isOver = () => device.outstanding.length === 0;
      await work(bench, isOver);
      await until('everything recorded', isOver);
      const [mismatch] = device.mismatches;
      if (mismatch !== undefined) throw new Error(`record ${mismatch.seq ?? '(none was due)'}: ${mismatch.reason}`);
    });
  const within = (ids: readonly string[]) => [...first, ...ids.flatMap((id) => sections.get(id) ?? [])];

  const sent = steps.filter((step) => step.sent !== undefined);
  const stray = sent.find((step) => !tour.sends?.includes(step.sent?.path ?? ''));
  if (stray !== undefined) throw new Error(`step ${stray.id}: no ${tour.kind} is sent ${stray.sent?.path}`);
  const asThen = readingIn(first, tour.idle);
  await on(within(sent.map(({ id }) => id)), asThen, async (bench) => {
    for (const { id, sent: { path, body } = { path: '', body: {} } } of sent) {
      const { ok, ...rest } = await call(bench, 'POST', path, { ...body, endpoint });
      if (ok !== true) throw new Error(`step ${id}: ${JSON.stringify(rest)}`);
    }
  });
  for (const { id, saw } of steps) {
    if (saw === undefined) continue;
    const said = readingIn(sections.get(id) ?? [], tour.idle);
    const parts = said === undefined ? within([id]) : first;
    await on(parts, said ?? asThen, async (bench, isOver) => {
      const isSeen = () =>
        bench.events.some((event) => Object.entries(saw).every(([name, value]) => event[name as 'type'] === value));
      const event = `step ${id}: an event with ${JSON.stringify(saw)}`;
      // What a device says by itself is understood soon after; one that is asked says it at the next question.
      await until(event, () => isSeen() || (tour.idle === undefined && isOver()));
      await until(event, isSeen, FEW_LOOKS);
    });
  }
}

/** The lines behind the mark of each step, by its id. */
export function sectionsOf(lines: readonly RecordLine[]): Map<string, RecordLine[]> {
  const sections = new Map<string, RecordLine[]>();
  let open: RecordLine[] = [];
  for (const line of lines) {
    if (line.direction !== 'mark') open.push(line);
    else {
      open = [];
      sections.set(line.text?.replace(/^certify /, '') ?? '', open);
    }
  }
  return sections;
}

const filesOf = (rows: readonly RecipeRow[]) =>
  rows.map((row) => ({ path: `${row.id}.json`, text: JSON.stringify({ maker: row.make, rows: [row] }) }));

async function call({ node }: RoomBench, method: string, path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${node.url}${path}`, { method, body: JSON.stringify(body) });
  return (await response.json()) as Record<string, unknown>;
}

const isQuestion = ({ direction, pipe, data }: RecordLine, { question }: Idle) =>
  direction === 'out' && pipe !== undefined && same(data, question);
const isAnswer = ({ direction, pipe, data }: RecordLine, idle: Idle) =>
  direction === 'in' && pipe !== undefined && idle.isAnswer(data);
const isIdle = (line: RecordLine, idle: Idle) => isQuestion(line, idle) || isAnswer(line, idle);
const same = (a: Uint8Array, b: Uint8Array) => a.length === b.length && a.every((byte, at) => byte === b[at]);

/** The last whole answer to the node's own question. */
function readingIn(lines: readonly RecordLine[], idle: Idle | undefined): Reading | undefined {
  if (idle === undefined) return undefined;
  const readings = lines.flatMap((question, at) => {
    if (!isQuestion(question, idle)) return [];
    const rest = lines.slice(at + 1);
    const next = rest.findIndex((line) => isQuestion(line, idle));
    const answers = (next < 0 ? rest : rest.slice(0, next)).filter((line) => isAnswer(line, idle));
    const data = lastAnswer(question, answers, idle.bytes);
    return data.length === idle.bytes ? [{ pipe: answers[0]?.pipe ?? 0, data: Uint8Array.from(data) }] : [];
  });
  return readings.at(-1);
}

/**
 * The answer to the last of the equal questions that the ring counted in one record. What it has in common with the
 * answer before it, from its beginning on, is counted in the records of that one; the rest has records of its own.
 */
function lastAnswer(
  { repeats = 0, lastTMs = 0 }: RecordLine,
  answers: readonly RecordLine[],
  length: number,
): number[] {
  const times = (line: RecordLine, n: number) => Array.from({ length: n }, () => [...line.data]).flat();
  const own = answers.filter(({ tMs }) => repeats === 0 || tMs >= lastTMs);
  const rest = own.flatMap((line) => times(line, 1 + (line.repeats ?? 0))).slice(0, length);
  const common = answers
    .filter((line) => !own.includes(line))
    .flatMap((line) => {
      const asked = 1 + repeats;
      const told = 1 + (line.repeats ?? 0);
      return times(line, told % asked === 0 ? told / asked : told);
    });
  return [...common.slice(0, length - rest.length), ...rest];
}

/** Answers the node's own question whenever it is asked, as it is no part of a step. */
class CertifiedDevice extends RecordedDevice {
  readonly #idle: Idle | undefined;
  readonly #reading: Reading | undefined;
  readonly #transfers: readonly RecordLine[];

  constructor(recording: DeviceRecording, idle?: Idle, reading?: Reading) {
    super(recording);
    this.#idle = idle;
    this.#reading = reading;
    this.#transfers = recording.transfers;
  }

  /** Answers the node's own request with a stall where the recording has none: so does a device that does not know it. */
  protected override control(setup: UsbSetup, data: Uint8Array): Uint8Array | 'stall' {
    const [requestType, request] = this.#idle?.request ?? [];
    const isOwn = setup.requestType === requestType && setup.request === request;
    const known = this.#transfers.some(
      (each) => each.setup?.request === request && each.setup?.requestType === requestType,
    );
    return isOwn && !known ? 'stall' : super.control(setup, data);
  }

  protected override receive(pipe: number, bytes: Uint8Array): number {
    if (this.#idle === undefined || !same(bytes, this.#idle.question)) return super.receive(pipe, bytes);
    if (this.#reading !== undefined) this.send(this.#reading.pipe, this.#reading.data);
    return bytes.length;
  }
}
