/** Prints one document by commands of the printer room, as a client of the API does. */
import { randomUUID } from 'node:crypto';
import { decodeBase64 } from '../../codecs/base64-node.ts';
import { type EposOutcome, eposErrorOf, eposFailed, eposRefused, eposStatusOf } from '../../codecs/epos-results.ts';
import type { EposRequest } from '../../codecs/epos-soap.ts';
import type { EposCommand } from '../../codecs/epos-xml.ts';
import { fitted } from '../../codecs/epos-xml-fit.ts';
import { type EposParts, eposParts } from '../../codecs/epos-xml-parts.ts';
import { EPOS_DEVICE, type EposLine } from '../../codecs/epos-xml-values.ts';
import { letIn } from '../../runtime/base/loop.ts';
import { messageOf } from '../../runtime/base/thrown.ts';
import type { Begin } from '../../runtime/kernel/command.ts';
import { ApiError } from '../../runtime/kernel/errors.ts';
import type { Node } from '../../runtime/kernel/node.ts';
import type { NodeCommand } from '../../runtime/kernel/registry.ts';
import type { ListedJob } from '../../runtime/services/jobs/contract.ts';

/** The client that asks, and what its request has to wait for. */
export interface EposAsking {
  readonly from: string;
  readonly begin: Begin | undefined;
  /** Puts its request into the list of jobs, where it is not there yet. */
  readonly listed: () => ListedJob | undefined;
}

/** The printer that a device id names: the first one, or the endpoint of this id. */
export function endpointOf(node: Node, device: string): string | undefined {
  const ids = node.endpoints('printer').map(({ declaration }) => declaration.id);
  return device === EPOS_DEVICE ? ids[0] : ids.find((id) => id === device);
}

/**
 * Prints what a document asks for, in its order, and ends at the first command that fails. An empty document asks for the status; with
 * a `printjobid`, for what became of a job, which nobody here knows. Never rejects.
 */
export async function printDocument(
  node: Node,
  endpoint: string,
  { commands, id, timeoutMs, remarks: asOtherwise }: EposRequest,
  { from, begin, listed }: EposAsking,
): Promise<EposOutcome> {
  if ('fault' in commands)
    return { error: 'invalid_command', detail: commands.fault, status: statusOf(node, endpoint) };
  const state = stateOf(node, endpoint);
  const [first] = commands;
  if (first === undefined && id !== undefined) return { error: 'not_found', detail: 'no job is kept here' };
  const error = state === undefined ? undefined : eposErrorOf(state);
  const missing = first === undefined && state === undefined ? 'no_printer' : undefined;
  if (error !== undefined || missing !== undefined)
    return { error: error ?? missing, detail: 'nothing was printed', status: statusOf(node, endpoint) };
  if (first === undefined) return { status: statusOf(node, endpoint) };

  const commandId = id ?? `epos-${randomUUID()}`;
  const until = performance.now() + timeoutMs;
  const checkTime = () => {
    if (performance.now() >= until) throw new ApiError('busy', `it waited ${timeoutMs} ms; nothing was written`);
  };
  const inTime: Begin = () => {
    checkTime();
    // A document of several commands is in the list from when the first one has the printer; until then that one waits in it.
    listed();
    return begin?.();
  };
  const remarks = asOtherwise === undefined ? [] : [asOtherwise];
  const laid = await partsOf(node, endpoint, commands, { from, checkTime });
  if ('error' in laid) return eposRefused(laid, stateOf(node, endpoint));
  const { parts } = laid;
  for (const [index, asked] of parts.entries()) {
    const who = { id: commandId, endpoint, from, begin: index === 0 ? inTime : begin };
    const command = commandOf(asked, who);
    // The last one ends the document, and stands for it in the list.
    if (index === parts.length - 1) listed()?.becomes(command);
    const { error: code, detail } = await node.command(command);
    if (code !== undefined) {
      const failure = { error: code, detail: detail ?? node.errors.get(code)?.meaning ?? code };
      const mayHavePrinted = code === 'write_failed';
      return eposFailed({ ...failure, mayHavePrinted, index, of: parts.length }, stateOf(node, endpoint));
    }
    if (detail !== undefined) remarks.push(detail);
  }
  return { status: statusOf(node, endpoint, true), ...(remarks.length > 0 && { detail: remarks.join('; ') }) };
}

/** What is sent, for the paper of the printer; each part is laid out once before the first is sent. `checkTime`: throws once it is too late. */
async function partsOf(
  node: Node,
  endpoint: string,
  commands: readonly EposCommand[],
  { from, checkTime }: { readonly from: string; readonly checkTime: () => void },
): Promise<EposParts> {
  const printer = node.offered('printer');
  const paper = printer?.paperOf(endpoint);
  // Where there is no printer, the first command says so.
  if (printer === undefined || paper === undefined) return { parts: commands, cuts: 0 };
  try {
    const refusalOf = async (lines: EposLine[]) => {
      // Symbols may take a tenth of a second each.
      checkTime();
      return printer.refusalOf(endpoint, lines, from);
    };
    return await eposParts(await fitted(commands, paper, letIn), paper, refusalOf);
  } catch (error) {
    const refused = error instanceof ApiError ? error : { code: 'internal', detail: messageOf(error) };
    return { error: refused.code, detail: refused.detail ?? 'nothing was written', index: 0, of: 1 };
  }
}

const stateOf = (node: Node, endpoint: string) => node.bound('printer', endpoint)?.state;
const statusOf = (node: Node, endpoint: string, printed = false) => eposStatusOf(stateOf(node, endpoint), printed);

function commandOf(asked: EposCommand, who: Pick<NodeCommand, 'id' | 'endpoint' | 'from' | 'begin'>): NodeCommand {
  if (asked.type !== 'raw') return { ...who, ...asked };
  return { ...who, type: 'raw', bytes: decodeBase64(asked.data) ?? new Uint8Array() };
}
