/** How a device is, for whoever stands at the till: one sentence in words of a shop. */
import type { ComponentChildren } from 'preact';
import type { Status } from '../../client/client.ts';
import { Badge } from './badge.tsx';
import { Card } from './layout.tsx';
import { useMissed } from './missed.ts';
import type { DeviceState, Panel } from './panel.ts';
import { say } from './say.ts';
import { clock } from './sentences.ts';
import { WhatToDo } from './what-to-do.tsx';

type Peripheral = Status['peripherals'][number];
type Told = Pick<DeviceState, 'tone' | 'words' | 'code'>;

const REASONS: Readonly<Record<string, 'noRoom' | 'held'>> = { no_channel: 'noRoom', claim_failed: 'held' };

/** Why a device is not there to be used; undefined while it is. One that was never there need not be missed. */
export function missing({ condition, reason, sinceMs }: Peripheral): Told | undefined {
  if (condition === 'bound' || condition === 'silent') return undefined;
  if (reason !== undefined) return { tone: 'bad', words: say(REASONS[reason] ?? 'cannotUse'), code: reason };
  if (condition === 'gone' && sinceMs !== undefined)
    return { tone: 'bad', words: say('notPluggedSince', { time: clock(sinceMs) }), code: condition };
  return { tone: 'plain', words: say('notPlugged'), code: condition };
}

/** The devices of one kind, each with what `told` knows of it; else whether it is there. */
export const devicesOf = (
  status: Status | undefined,
  kind: string,
  name: string,
  told: (peripheral: Peripheral) => Told | undefined = () => undefined,
): DeviceState[] =>
  (status?.peripherals ?? [])
    .filter((peripheral) => peripheral.kind === kind)
    .map((peripheral) => ({
      endpoint: peripheral.endpoint,
      kind,
      condition: peripheral.condition,
      name,
      ...(told(peripheral) ?? missing(peripheral) ?? { tone: 'good', words: say('ready') }),
    }));

const links: NonNullable<Panel['deviceLink']>[] = [];

/** Takes the links that a panel has for devices; before the page is drawn. */
export function linkDevices({ deviceLink }: Panel): void {
  if (deviceLink !== undefined) links.push(deviceLink);
}

/** What other rooms link to from the card of a device. */
export const DeviceLinks = ({ device }: { device: DeviceState }) => (
  <>
    {links.flatMap((linkOf) => {
      const link = linkOf(device);
      return link === undefined
        ? []
        : [
            <p key={link.href}>
              <a href={link.href}>{link.words}</a>
            </p>,
          ];
    })}
  </>
);

/** How it is; nothing while the node does not answer, of which its card tells. */
export const State = ({ tone, words, code }: Told) =>
  useMissed() === undefined ? (
    <p class="state">
      <Badge tone={tone}>{words}</Badge>
      <WhatToDo code={code} />
    </p>
  ) : null;

/** A card a device, with what can be done with it. */
export const Devices = ({ states, children }: { states: readonly DeviceState[]; children?: ComponentChildren }) => (
  <>
    {states.map((device) => (
      <Card key={device.endpoint} title={device.name}>
        <State {...device} />
        {children}
        <DeviceLinks device={device} />
      </Card>
    ))}
  </>
);
