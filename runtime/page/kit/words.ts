/** Codes, times and numbers in words. */
import { NodeError } from '../../client.ts';

/** What happened, for people; the code and the detail of the node stand behind it. */
const FAULTS: Readonly<Record<string, string>> = {
  unreachable: 'The node did not answer. Is it on, and is this device in its network?',
  api_locked: 'The node is locked: this page cannot do that without the API key.',
  ota_locked: 'The update key is missing or is not the right one.',
  invalid_config: 'The node does not take these values.',
  invalid_command: 'The node does not take this command.',
  invalid_provision: 'The node does not take these credentials.',
  band_unsupported: 'The radio of this node does not have that band.',
  persist_failed: 'The node could not store it.',
  custody_hold: 'Hold the setup button on the node for about 5 seconds, then try again.',
  no_printer: 'No printer is ready.',
  no_drawer: 'No drawer can be reached: the printer is missing.',
  no_camera: 'No camera is plugged in.',
  no_scale: 'No scale is plugged in.',
  no_scanner: 'No scanner is plugged in.',
  stream_busy: 'Somebody else is watching the camera.',
  capture_failed: 'The camera gave no picture like that; nothing was changed.',
  capture_off: 'The traffic ring does not record.',
  write_failed: 'Sending to the printer failed. Something may have been printed: look before you repeat it.',
  unsupported_command_set: 'The printer speaks another language than ESC/POS.',
  unknown_endpoint: 'The node has no such endpoint.',
  wrong_endpoint_kind: 'That endpoint is of another kind.',
  render_too_large: 'This is too large; nothing was printed.',
  cover_open: 'The cover is open; nothing was printed.',
  paper_out: 'There is no paper; nothing was printed.',
  restarting: 'The node is about to restart; nothing was printed.',
  cloud_not_configured: 'This needs a cloud URL and a token, and none are set.',
  compose_failed: 'The cloud gave no receipt.',
  update_disabled: 'Looking for updates is switched off on this node.',
  restart_pending: 'An installed image waits for its restart.',
  ota_busy: 'An update or a revert is under way, or was a short while ago.',
  ota_write_failed: 'The boot slot did not take the image.',
  image_invalid: 'This is not an image that this node takes.',
  image_too_large: 'The image is too large.',
  image_wrong_variant: 'The image is for other hardware.',
  image_digest_mismatch: 'The image was damaged on its way.',
  profile_switch_failed: 'The identity could not be announced; the old one is in force again.',
  profile_rollback_failed: 'The identity could not be announced, and neither could the old one: restart the node.',
};

/** A refusal or a failure as a sentence. */
export function faultOf(error: unknown): string {
  if (!(error instanceof NodeError)) return error instanceof Error ? error.message : String(error);
  const words = FAULTS[error.code] ?? `The node refused: ${error.code}.`;
  return error.detail === undefined || error.code === 'unreachable' ? words : `${words} (${error.detail})`;
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
