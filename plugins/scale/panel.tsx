/** The panel of the scale: its last reading. */
import { useEffect, useState } from 'preact/hooks';
import type { Status } from '../../runtime/client/client.ts';
import {
  Asking,
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
} from '../../runtime/page/kit.ts';
import type { ScaleStatus } from './contract.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

const TONES: Readonly<Record<ScaleStatus['status'], Tone>> = {
  reading: 'good',
  asleep: 'warn',
  absent: 'bad',
  refused: 'bad',
};

/** Why a scale that is bound gives no weight, where it hangs on a line: nothing is heard, or nothing that can be read. */
const LINE_TROUBLES = ['garbled', 'no_answer'] as const;
const troubleOf = (reason: string | undefined) => LINE_TROUBLES.find((each) => each === reason);

const scaleOf = (status: Status | undefined) => status?.scale;

/** The last reading, as it changes. */
function useScale({ on, client, status }: PageNode): ScaleStatus | undefined {
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
  return block;
}

const weightOf = ({ weight, unit }: ScaleStatus): string =>
  weight === null ? say('noWeight') : `${weight} ${unit ?? ''}`;

function View({ node }: PanelProps) {
  const block = useScale(node);
  if (block === undefined) return <Asking />;
  const { endpoint, weight, stable, status: state, fault, ageMs } = block;
  const trouble = troubleOf(node.status?.peripherals.find((each) => each.endpoint === endpoint)?.reason);
  return (
    <Card title={say('weight')}>
      <p class="reading">
        <bdi>{weightOf(block)}</bdi>
      </p>
      {weight !== null && <p>{stable ? say('stable') : say('inMotion')}</p>}
      <p>
        <Badge tone={trouble ? 'warn' : TONES[state]}>{say(trouble ?? state)}</Badge>
      </p>
      {fault && !trouble && (
        <p>
          <Badge tone="bad">{say(fault)}</Badge>
        </p>
      )}
      <p class="quiet">
        {ageMs !== null && say('lastHeard', { ago: ago(ageMs) })}
        {ageMs === null && trouble !== 'garbled' && say('neverHeard')} {say('itsOwn')}
      </p>
    </Card>
  );
}

const devices = ({ status }: PageNode): DeviceState[] =>
  devicesOf(status, 'scale', say('title'), ({ reason }) => {
    const scale = scaleOf(status);
    const trouble = troubleOf(reason);
    if (trouble !== undefined) return { tone: 'warn', words: say(trouble), code: trouble };
    if (scale?.status === 'asleep') return { tone: 'warn', words: say('tillAsleep'), code: scale.status };
    return scale?.status === 'reading' && scale.fault
      ? { tone: 'bad', words: say(scale.fault), code: scale.fault }
      : undefined;
  });

/** State of the scales, with the weight where there is one. */
function Overview({ node }: PanelProps) {
  const block = useScale(node);
  return (
    <Devices states={devices(node)}>
      {block?.status === 'reading' && (
        <p class="reading">
          <bdi>{weightOf(block)}</bdi>
        </p>
      )}
    </Devices>
  );
}

export default definePanel({
  id: 'scale',
  title: say('title'),
  order: 40,
  View,
  devices,
  Overview,
});
