/**
 * GET_PORT_STATUS: what a printer says of itself on the control pipe, also while its bulk pipe takes nothing (USB
 * printer class 1.1, 4.2.2).
 */

const NO_ERROR = 0x08;
const SELECTED = 0x10;
const PAPER_EMPTY = 0x20;
const RESERVED = 0xff & ~(NO_ERROR | SELECTED | PAPER_EMPTY);

/** At least one of them is true. */
export interface PortFaults {
  readonly paperEmpty: boolean;
  readonly notSelected: boolean;
  readonly error: boolean;
}

/**
 * The faults that the answer (one byte) names. Undefined is not "no faults": many printers answer 18 hex whatever
 * happens, others 00, and one that sets reserved bits answers something else.
 */
export function portFaults(answer: Uint8Array): PortFaults | undefined {
  const [byte = 0] = answer;
  if (answer.length !== 1 || byte === 0 || (byte & RESERVED) !== 0) return undefined;
  const paperEmpty = (byte & PAPER_EMPTY) !== 0;
  const notSelected = (byte & SELECTED) === 0;
  const error = (byte & NO_ERROR) === 0;
  return paperEmpty || notSelected || error ? { paperEmpty, notSelected, error } : undefined;
}

/** The answer to DLE EOT `n` (1 to 4) that a printer gave before it named these faults, as it would be with them. */
export function withPortFaults(reply: number, n: number, { paperEmpty, error }: PortFaults): number {
  if (n === 1) return reply | 0x08;
  if (n === 2) return reply | (paperEmpty ? 0x20 : 0) | (error ? 0x40 : 0);
  return n === 4 && paperEmpty ? reply | 0x60 : reply;
}
