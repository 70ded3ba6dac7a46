/** Tells systemd that the node is up and makes progress (sd_notify(3)), through systemd-notify(1): Node has no datagram sockets in the file system. */
import { spawn } from 'node:child_process';

export interface Notifier {
  /** An image is started: whatever comes of it will be known in time. */
  starting(): void;
  ready(): void;
  alive(): void;
}

export const silent: Notifier = { starting: () => {}, ready: () => {}, alive: () => {} };

/** The watchdog is fed at most this often; the unit's WatchdogSec is well above it. */
const FEED_MS = 10_000;
/**
 * What one start may take, as the unit's WatchdogSec: an image has a minute to come up, and there is half a minute
 * between two. Falling back takes several starts, and systemd would cut it short and have it begin anew for ever.
 */
const START_SECONDS = 120;

/** Only where systemd asked for it. */
export function systemdNotifier(env = process.env): Notifier {
  if (env['NOTIFY_SOCKET'] === undefined) return silent;
  let fedAt = Number.NEGATIVE_INFINITY;
  const tell = (...states: readonly string[]) => {
    spawn('systemd-notify', states, { stdio: 'ignore' }).on('error', () => {});
  };
  return {
    starting: () => tell('WATCHDOG=1', `EXTEND_TIMEOUT_USEC=${START_SECONDS * 1_000_000}`),
    ready: () => tell('--ready'),
    alive: () => {
      if (performance.now() - fedAt < FEED_MS) return;
      fedAt = performance.now();
      tell('WATCHDOG=1');
    },
  };
}
