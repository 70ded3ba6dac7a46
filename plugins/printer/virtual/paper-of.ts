/** The paper of one job, on a printer that has just been switched on. */
import type { PrinterModel } from '../contract/twin.ts';
import { Interpreter } from './interpreter.ts';
import { paperModelOf } from './paper/model.ts';
import { Paper } from './paper/paper.ts';

/** Prints these bytes on new paper; on that of a model by its name, where it is given. */
export function paperOf(job: Uint8Array, model: PrinterModel, name?: string): Paper {
  const paperModel = paperModelOf(model, name);
  const paper = new Paper(paperModel);
  new Interpreter({ paper }, paperModel).feed(job);
  paper.finish();
  return paper;
}
