/** What lies on the scale, as it is told. */
import { useEffect, useState } from 'preact/hooks';
import type { Status } from '../../runtime/client/client.ts';
import {
  ago,
  Badge,
  Card,
  type DeviceState,
  Devices,
  definePanel,
  devicesOf,
  type PageNode,
  type PanelProps,
  speech,
  type Tone,
} from '../../runtime/exports/panel.ts';
import type { ScaleStatus } from './contract.ts';
import { words } from './words.ts';

const say = speech(words);

const STATES: Readonly<Record<ScaleStatus['status'], readonly [Tone, string]>> = {
  reading: ['good', 'reading'],
  asleep: ['warn', 'asleep: press a key on the scale'],
  absent: ['bad', 'absent: no scale is plugged in'],
  refused: ['bad', 'refused: the USB bus has no channel left for it'],
};

const scaleOf = (status: Status | undefined) => (status as { readonly scale?: ScaleStatus } | undefined)?.scale;

function View({ node }: PanelProps) {
  const { on, client, status } = node;
  const told = scaleOf(status);
  const [block, setBlock] = useState(told);
  useEffect(() => setBlock(told), [told]);
  useEffect(
    () =>
      on('scale_weight_changed', ({ weight, unit, stable }) => {
        const live = { weight, unit, stable } as Pick<ScaleStatus, 'weight' | 'unit' | 'stable'>;
        if (live.weight === null) void client.scale().then(setBlock, () => {});
        else setBlock((before) => before && { ...before, ...live, status: 'reading', ageMs: 0 });
      }),
    [on, client],
  );
  if (block === undefined) return <p>Asking the node…</p>;
  const { weight, unit, stable, status: state, fault, ageMs } = block;
  const [tone, words] = STATES[state];
  return (
    <Card title="Weight">
      <p class="reading">{weight === null ? 'no weight' : `${weight} ${unit ?? ''}`}</p>
      {weight !== null && <p>{stable ? 'stable' : 'in motion'}</p>}
      <p>
        <Badge tone={tone}>{words}</Badge>
      </p>
      {fault && (
        <p>
          <Badge tone="bad">{say(fault)}</Badge>
        </p>
      )}
      <p class="quiet">
        {ageMs === null ? 'It has not been heard since the node started.' : `Last heard ${ago(ageMs)}.`} The weight is
        the scale’s own, in the unit it is set to; nothing is converted.
      </p>
    </Card>
  );
}

const devices = ({ status }: PageNode): DeviceState[] =>
  devicesOf(status, 'scale', say('title'), () => {
    const scale = scaleOf(status);
    if (scale?.status === 'asleep') return { tone: 'warn', words: say('tillAsleep') };
    return scale?.status === 'reading' && scale.fault ? { tone: 'bad', words: say(scale.fault) } : undefined;
  });

export default definePanel({
  id: 'scale',
  title: say('title'),
  order: 40,
  View,
  devices,
  Overview: ({ node }) => <Devices states={devices(node)} />,
});
