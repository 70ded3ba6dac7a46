/** The paper of one job, on a printer that has just been switched on. */
import { finished, type Stepwise } from '../../../runtime/base/steps.ts';
import type { PrinterModel } from '../contract/twin.ts';
import { Interpreter } from './interpreter.ts';
import { paperModelOf } from './paper/model.ts';
import { Paper } from './paper/paper.ts';

/** Bytes obeyed at a step: one large symbol, a dozen of the smallest, or a few rows of text. */
const STEP_BYTES = 512;

/** Prints these bytes on new paper; on that of a model by its name, where it is given. */
export function paperOf(job: Uint8Array, model: PrinterModel, name?: string): Paper {
  return finished(printing(job, model, name));
}

/** Prints as `paperOf`, a few commands at a step. */
export function* printing(job: Uint8Array, model: PrinterModel, name?: string): Stepwise<Paper> {
  const paperModel = paperModelOf(model, name);
  const paper = new Paper(paperModel);
  const interpreter = new Interpreter({ paper }, paperModel);
  for (let at = 0; at < job.length; at += STEP_BYTES) {
    interpreter.feed(job.subarray(at, at + STEP_BYTES));
    yield;
  }
  paper.finish();
  return paper;
}
