/**
 * GET_PORT_STATUS (USB printer class 1.1, 4.2.2): the status of a printer from its control pipe, which also works while its
 * bulk pipe accepts no data.
 */

const NO_ERROR = 0x08;
const SELECTED = 0x10;
const PAPER_EMPTY = 0x20;
const RESERVED = 0xff & ~(NO_ERROR | SELECTED | PAPER_EMPTY);

/** Faults that a printer reports: at least one is true. */
export interface PortFaults {
  readonly paperEmpty: boolean;
  readonly notSelected: boolean;
  readonly error: boolean;
}

/**
 * The faults in the answer (one byte). Undefined does not mean "no faults": many printers always answer 18 hex, others 00,
 * and an answer with reserved bits set is no port status.
 */
export function portFaults(answer: Uint8Array): PortFaults | undefined {
  const [byte = 0] = answer;
  if (answer.length !== 1 || byte === 0 || (byte & RESERVED) !== 0) return undefined;
  const paperEmpty = (byte & PAPER_EMPTY) !== 0;
  const notSelected = (byte & SELECTED) === 0;
  const error = (byte & NO_ERROR) === 0;
  return paperEmpty || notSelected || error ? { paperEmpty, notSelected, error } : undefined;
}

/** `reply`, an earlier answer to DLE EOT 1, changed to that of a printer which is off-line. */
export const offline = (reply: number): number => reply | 0x08;

/** `reply`, an earlier answer to DLE EOT `n` (1 to 4), changed to what it would be with these faults. */
export function withPortFaults(reply: number, n: number, { paperEmpty, error }: PortFaults): number {
  if (n === 1) return offline(reply);
  if (n === 2) return reply | (paperEmpty ? 0x20 : 0) | (error ? 0x40 : 0);
  return n === 4 && paperEmpty ? reply | 0x60 : reply;
}
