/**
 * Informs systemd that the node is ready and makes progress (sd_notify(3)), with systemd-notify(1): Node has no Unix
 * datagram sockets.
 */
import { spawn } from 'node:child_process';

/** The service manager that supervises the launcher. */
export interface Notifier {
  /** An image is started: extends the time limits of the service manager to those of one start. */
  starting(): void;
  ready(): void;
  alive(): void;
}

/** For a launcher that no service manager supervises. */
export const silent: Notifier = { starting: () => {}, ready: () => {}, alive: () => {} };

/** The watchdog is fed at most this often; the unit's WatchdogSec is well above it. */
const FEED_MS = 10_000;
/**
 * Time limit of one start, also the unit's WatchdogSec: an image has a minute to become good, and there is up to half a
 * minute between two starts. Without the extension systemd would restart the launcher before it has fallen back.
 */
const START_SECONDS = 120;

/** The notifier of systemd; does nothing if the environment has no NOTIFY_SOCKET. */
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
