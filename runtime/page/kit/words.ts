/** Codes, times and numbers in words. */
import { NodeError } from '../../client/client.ts';

/** What to do about a code, or plainer words, where the error table speaks to programs. */
const FAULTS: Readonly<Record<string, string>> = {
  unreachable: 'The node did not answer. Is it on, and is this device in its network?',
  api_locked: 'The node is locked: this page cannot do that without the API key.',
  invalid_config: 'The node does not take these values.',
  invalid_command: 'The node does not take this command.',
  invalid_provision: 'The node does not take these credentials.',
  custody_hold: 'Hold the setup button on the node for about 5 seconds, then try again.',
  no_printer: 'No printer is ready.',
  not_appliance: 'The network belongs to the machine that the node runs on: change it there.',
  no_launcher: 'This node was started without its launcher, so it cannot be updated.',
  no_drawer: 'No drawer can be reached: the printer is missing.',
  write_failed: 'Sending to the printer failed. Something may have been printed: look before you repeat it.',
  render_too_large: 'This is too large; nothing was printed.',
  cover_open: 'The cover is open; nothing was printed.',
  paper_out: 'There is no paper; nothing was printed.',
  cloud_not_configured: 'This needs a cloud URL and a token, and none are set.',
  compose_failed: 'The cloud gave no receipt.',
  update_disabled: 'Looking for updates is switched off on this node.',
  image_wrong_variant: 'The image is for other hardware.',
  image_digest_mismatch: 'The image was damaged on its way.',
};

/** A refusal or a failure as a sentence. */
export function faultOf(error: unknown): string {
  if (!(error instanceof NodeError)) return error instanceof Error ? error.message : String(error);
  const { code, meaning = `the node refused: ${code}` } = error;
  const words = FAULTS[code] ?? `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`;
  return error.detail === undefined || code === 'unreachable' ? words : `${words} (${error.detail})`;
}

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
] as const;

/** Milliseconds as `12 s`, `5 min`, `3 h`, `2 d`. */
export function duration(ms: number): string {
  const [size, unit] = UNITS.find(([least]) => ms >= least) ?? [1000, 's'];
  return `${Math.floor(ms / size)} ${unit}`;
}

export const ago = (ms: number): string => (ms < 1000 ? 'just now' : `${duration(ms)} ago`);

/** Make and model as the device tells them, with its ids where it tells neither. */
export const deviceName = (device: {
  readonly make: string;
  readonly model: string;
  readonly vendorId: string;
  readonly productId: string;
}): string => `${device.make} ${device.model}`.trim() || `${device.vendorId}:${device.productId}`;
