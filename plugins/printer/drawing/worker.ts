/**
 * The entry of `draw.js`, which runs in a thread of its own: lays out jobs whose text has to be shaped or drawn, and draws
 * previews. It draws a piece of the job that it is asked for, so that none has to wait for all of another; what goes wrong here ends this
 * thread and no other. HarfBuzz and the virtual
 * printer are imported when they are needed, so that the first receipt waits for nothing else.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { stackOf } from '../../../runtime/base/thrown.ts';
import { type Rendered, rendering } from '../layout/layout.ts';
import { ShapedText } from '../layout/shaped/shaped-text.ts';
import { drawsSymbols } from '../layout/symbols.ts';
import type { Typesetter } from '../layout/typesetter.ts';
import type {
  DrawingAnswer,
  DrawingFault,
  DrawingJob,
  DrawingRefusal,
  DrawingSettings,
  DrawingStage,
  PictureJob,
  PieceDrawn,
  PieceOfJob,
  SymbolsJob,
} from './job.ts';
import { Pack } from './pack.ts';

/** The faces of the image; an image that draws no script has none. */
const PACK = fileURLToPath(new URL('fonts.pack', import.meta.url));
const typesetter = open();
/** A piece ends with the line that is drawn when so much time has passed. */
const PIECE_MS = 25;

/** Undefined where the image has no faces, or where they or HarfBuzz cannot be used, which is told. */
async function open(): Promise<Typesetter | undefined> {
  if (!existsSync(PACK) && !(workerData as DrawingSettings).hasFaces) return undefined;
  try {
    const { PackTypesetter } = await import('./typesetter.ts');
    return new PackTypesetter(new Pack(PACK));
  } catch (fault) {
    tell(fault);
    return undefined;
  }
}

/** What draws a job, a line, a symbol or a part of a paper at a step. Gives what it is at, where that begins. */
type Drawing<T> = AsyncGenerator<DrawingStage | undefined, T>;

/** Lays out a job; without the faces where they are damaged, so that the receipt is printed all the same. */
async function* laidOut({ lines, settings, options }: DrawingJob): Drawing<Rendered> {
  const faces = options.textOnly ? undefined : await typesetter;
  const symbols = drawsSymbols(lines, settings, options) ? (await import('./symbols.ts')).symbolDrawer : undefined;
  const rendered = (faces?: Typesetter) => rendering(lines, settings, options, new ShapedText(faces, symbols));
  if (faces === undefined) return yield* rendered();
  try {
    return yield* rendered(faces);
  } catch (fault) {
    const answer = yield* rendered();
    tell(fault);
    return answer;
  }
}

function tell(fault: unknown): void {
  parentPort?.postMessage({ fault: stackOf(fault) } satisfies DrawingFault);
}

async function* draw(job: DrawingJob | SymbolsJob | PictureJob): Drawing<DrawingAnswer> {
  if (job.as === 'picture') {
    const { dotsOf } = await import('./picture.ts');
    return yield* dotsOf(job);
  }
  if (job.as === 'symbols') {
    const { modulesOf } = await import('./symbols.ts');
    const symbols = [];
    for (const asked of job.symbols) {
      symbols.push(modulesOf(asked));
      yield;
    }
    return { ok: true, symbols };
  }
  const rendered = yield* laidOut(job);
  // Nothing asks for what is here.
  if (!rendered.ok) return rendered as DrawingRefusal;
  if (job.as === 'check') return { ok: true };
  // A copy of its own, which is handed over and not copied again.
  const drawn = { ...rendered, bytes: rendered.bytes.slice() };
  if (job.as === 'bytes') return drawn;
  yield 'paper';
  const { paperFor } = await import('./paper.ts');
  return yield* paperFor(drawn, job);
}

/** Jobs that are drawn in part. */
const begun = new Map<number, Drawing<DrawingAnswer>>();

async function pieceOf(id: number): Promise<PieceDrawn> {
  const until = performance.now() + PIECE_MS;
  const drawing = begun.get(id)!;
  let step = await drawing.next();
  while (step.done !== true && step.value === undefined && performance.now() < until) step = await drawing.next();
  if (step.done !== true) return step.value ? { more: true, stage: step.value } : { more: true };
  begun.delete(id);
  return step.value;
}

/** What it has begun of a stream is given up, too. */
function drop(id: number): void {
  void begun.get(id)?.return(undefined as never);
  begun.delete(id);
}

parentPort?.on('message', async ({ id, job, isDropped }: PieceOfJob) => {
  if (job !== undefined) begun.set(id, draw(job));
  if (isDropped === true) drop(id);
  else {
    const answer = await pieceOf(id);
    const handedOver = 'bytes' in answer ? [answer.bytes] : 'svg' in answer ? [answer.svg] : [];
    parentPort?.postMessage(
      answer,
      handedOver.map(({ buffer }) => buffer as ArrayBuffer),
    );
  }
});
