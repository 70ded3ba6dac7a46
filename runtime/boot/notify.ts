/** Tells systemd that the node is up and makes progress (sd_notify(3)), through systemd-notify(1): Node has no datagram sockets in the file system. */
import { spawn } from 'node:child_process';

export interface Notifier {
  ready(): void;
  alive(): void;
}

export const silent: Notifier = { ready: () => {}, alive: () => {} };

/** The watchdog is fed at most this often; the unit's WatchdogSec is well above it. */
const FEED_MS = 10_000;

/** Only where systemd asked for it. */
export function systemdNotifier(env = process.env): Notifier {
  if (env['NOTIFY_SOCKET'] === undefined) return silent;
  let fedAt = Number.NEGATIVE_INFINITY;
  const tell = (state: string) => {
    spawn('systemd-notify', [state], { stdio: 'ignore' }).on('error', () => {});
  };
  return {
    ready: () => tell('--ready'),
    alive: () => {
      if (performance.now() - fedAt < FEED_MS) return;
      fedAt = performance.now();
      tell('WATCHDOG=1');
    },
  };
}
