/** What lies on the scale, as it is told. */
import { useEffect, useState } from 'preact/hooks';
import { ago, Badge, Card, definePanel, type PanelProps, type Tone } from '../../runtime/exports/panel.ts';
import type { ScaleStatus } from './contract.ts';

const STATES: Readonly<Record<ScaleStatus['status'], readonly [Tone, string]>> = {
  reading: ['good', 'reading'],
  asleep: ['warn', 'asleep: press a key on the scale'],
  absent: ['bad', 'absent: no scale is plugged in'],
  refused: ['bad', 'refused: the USB bus has no channel left for it'],
};

const FAULTS: Readonly<Record<NonNullable<ScaleStatus['fault']>, string>> = {
  under_zero: 'The scale shows less than zero.',
  over_limit: 'There is more on the scale than it can weigh.',
  needs_calibration: 'The scale asks to be calibrated.',
  needs_rezero: 'The scale asks to be set to zero.',
  fault: 'The scale reports a fault.',
};

function View({ node }: PanelProps) {
  const { on, client, status } = node;
  const told = (status as { readonly scale?: ScaleStatus } | undefined)?.scale;
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
          <Badge tone="bad">{FAULTS[fault]}</Badge>
        </p>
      )}
      <p class="quiet">
        {ageMs === null ? 'It has not been heard since the node started.' : `Last heard ${ago(ageMs)}.`} The weight is
        the scale’s own, in the unit it is set to; nothing is converted.
      </p>
    </Card>
  );
}

export default definePanel({ id: 'scale', title: 'Scale', order: 40, View });
