/** Which node this is, and whether the page still hears of it. */
import type { Status } from '../client/client.ts';
import { Badge } from './kit/badge.tsx';
import { duration } from './kit/words.ts';
import { POLL_MS, type Snapshot } from './store.ts';

export function Header({ name, status, snapshot }: { name: string; status: Status | undefined; snapshot: Snapshot }) {
  return (
    <header class="top">
      <div>
        <h1>{name}</h1>
        {status && (
          <p class="quiet">
            {status.identity.variant} {status.identity.firmwareVersion} · slot {status.identity.slot} · up{' '}
            {duration(status.uptimeSeconds * 1000)}
          </p>
        )}
      </div>
      <p class="link" role="status">
        <LinkState {...snapshot} />
      </p>
    </header>
  );
}

function LinkState({ link, missedAt }: Snapshot) {
  switch (link) {
    case 'connecting':
      return <>Asking the node…</>;
    case 'connected':
      return <Badge tone="good">live</Badge>;
    case 'full':
      return <Badge tone="warn">4 of 4 live viewers: refreshing every {POLL_MS / 1000} s</Badge>;
    case 'unreachable':
      return <Badge tone="bad">no answer since {new Date(missedAt ?? 0).toLocaleTimeString()}</Badge>;
  }
}
