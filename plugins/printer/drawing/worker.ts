/**
 * The entry of `draw.js`, which runs in a thread of its own: lays out jobs whose text has to be shaped or drawn, and draws
 * previews. It takes one job after the other; what goes wrong here ends this thread and no other. HarfBuzz and the virtual
 * printer are imported when they are needed, so that the first receipt waits for nothing else.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { stackOf } from '../../../runtime/base/thrown.ts';
import { type Rendered, render } from '../layout/layout.ts';
import { ShapedText } from '../layout/shaped/shaped-text.ts';
import { drawsSymbols } from '../layout/symbols.ts';
import type { Typesetter } from '../layout/typesetter.ts';
import type {
  DrawingFault,
  DrawingJob,
  DrawingRefusal,
  DrawingSettings,
  DrawnBytes,
  DrawnNothing,
  DrawnPaper,
  DrawnPicture,
  DrawnSymbols,
  PictureJob,
  SymbolsJob,
} from './job.ts';
import { Pack } from './pack.ts';

/** The faces of the image; an image that draws no script has none. */
const PACK = fileURLToPath(new URL('fonts.pack', import.meta.url));
const typesetter = open();

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

/** Lays out a job; without the faces where they are damaged, so that the receipt is printed all the same. */
async function laidOut({ lines, settings, options }: DrawingJob): Promise<Rendered> {
  const faces = options.textOnly ? undefined : await typesetter;
  const symbols = drawsSymbols(lines, settings, options) ? (await import('./symbols.ts')).symbolDrawer : undefined;
  const rendered = (faces?: Typesetter) => render(lines, settings, options, new ShapedText(faces, symbols));
  if (faces === undefined) return rendered();
  try {
    return rendered(faces);
  } catch (fault) {
    const answer = rendered();
    tell(fault);
    return answer;
  }
}

function tell(fault: unknown): void {
  parentPort?.postMessage({ fault: stackOf(fault) } satisfies DrawingFault);
}

type Answer = DrawnBytes | DrawnNothing | DrawnPaper | DrawnSymbols | DrawnPicture | DrawingRefusal;

async function draw(job: DrawingJob | SymbolsJob | PictureJob): Promise<Answer> {
  if (job.as === 'picture') {
    const { dotsOf } = await import('./picture.ts');
    return dotsOf(job);
  }
  if (job.as === 'symbols') {
    const { modulesOf } = await import('./symbols.ts');
    return { ok: true, symbols: job.symbols.map(modulesOf) };
  }
  const rendered = await laidOut(job);
  // Nothing asks for what is here.
  if (!rendered.ok) return rendered as DrawingRefusal;
  if (job.as === 'check') return { ok: true };
  // A copy of its own, which is handed over and not copied again.
  const drawn = { ...rendered, bytes: rendered.bytes.slice() };
  if (job.as === 'bytes') return drawn;
  const { paperFor } = await import('./paper.ts');
  return paperFor(drawn, job.options);
}

parentPort?.on('message', async (job: DrawingJob | SymbolsJob | PictureJob) => {
  const answer = await draw(job);
  parentPort?.postMessage(answer, 'bytes' in answer ? [answer.bytes.buffer as ArrayBuffer] : []);
});
