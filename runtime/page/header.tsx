/** Which node this is, how its devices are, and whether the page still hears of it. */
import type { Status } from '../client/client.ts';
import { Badge, type Tone } from './kit/badge.tsx';
import type { DeviceState } from './kit/panel.ts';
import { say } from './kit/say.ts';
import { clock, duration, slotName } from './kit/sentences.ts';
import { Languages } from './languages.tsx';
import { LOOK_MS, type Snapshot } from './store.ts';

interface HeaderProps {
  readonly name: string;
  readonly status: Status | undefined;
  readonly devices: readonly DeviceState[];
  readonly snapshot: Snapshot;
}

/** The header of the page: name of the node, state of the connection, and the worst state of its devices. */
export function Header({ name, status, devices, snapshot }: HeaderProps) {
  return (
    <header class="top">
      <div>
        <h1 translate={false}>
          <bdi>{name}</bdi>
        </h1>
        {status && (
          <p class="quiet">
            {say('about', {
              variant: status.identity.variant,
              version: status.identity.firmwareVersion,
              slot: slotName(status.identity.slot),
              time: duration(status.uptimeSeconds * 1000),
            })}
          </p>
        )}
      </div>
      <div class="now" role="status">
        {status && snapshot.link !== 'unreachable' && <Worst devices={devices} />}
        <p class="link">
          <LinkState {...snapshot} />
        </p>
      </div>
      <Languages />
    </header>
  );
}

const WORST: readonly Tone[] = ['bad', 'warn'];

/** What is wrong with the first device that something is wrong with. */
function Worst({ devices }: Pick<HeaderProps, 'devices'>) {
  const [worst] = WORST.flatMap((tone) => devices.filter((device) => device.tone === tone));
  return (
    <p class="state">
      <Badge tone={worst?.tone ?? 'good'}>
        {worst ? say('problem', { device: worst.name, words: worst.words }) : say('allReady')}
      </Badge>
    </p>
  );
}

function LinkState({ link, missedAt }: Snapshot) {
  switch (link) {
    case 'connecting':
      return <>{say('asking')}</>;
    case 'connected':
      return <Badge tone="good">{say('live')}</Badge>;
    case 'full':
      return <Badge tone="warn">{say('full', { seconds: LOOK_MS / 1000 })}</Badge>;
    case 'unreachable':
      return <Badge tone="bad">{say('notKnown', { time: clock(Date.now() - (missedAt ?? 0)) })}</Badge>;
  }
}
