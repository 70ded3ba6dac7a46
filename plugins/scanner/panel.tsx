/** Reads as they come, with their verdicts, and the policy that gives them. */
import { useEffect } from 'preact/hooks';
import {
  ago,
  Badge,
  Button,
  Card,
  ConfigForm,
  Devices,
  definePanel,
  devicesOf,
  duration,
  type PageNode,
  type PanelProps,
  type Setting,
  speech,
  Table,
  type Tone,
  useLoaded,
  visible,
} from '../../runtime/exports/panel.ts';
import { ScannerConfig, type Scans, type Verdict } from './contract.ts';
import { words } from './words.ts';

const say = speech(words);

/** Refused reads are no events. */
const POLL_MS = 2000;

const VERDICTS: Readonly<Record<Verdict, readonly [Tone, string]>> = {
  accepted: ['good', 'accepted'],
  duplicate: ['warn', 'duplicate'],
  too_short: ['warn', 'too short'],
  burst: ['warn', 'burst'],
};

const { properties } = ScannerConfig;
const POLICY: readonly Setting[] = [
  {
    key: 'readMode',
    schema: properties.readMode,
    label: 'Read mode',
    hint: 'counts for the next device that is plugged in',
    words: { auto: 'auto: whatever it sends', keyboard: 'keyboard', hidpos: 'HID POS' },
  },
  { key: 'layout', schema: properties.layout, label: 'Keyboard layout', hint: 'that the scanner is set to' },
  { key: 'minLength', schema: properties.minLength, label: 'Shortest read', hint: 'characters' },
  {
    key: 'interKeyTimeoutMs',
    schema: properties.interKeyTimeoutMs,
    label: 'End of a read without Enter',
    hint: 'milliseconds without a key',
  },
  {
    key: 'duplicateWindowMs',
    schema: properties.duplicateWindowMs,
    label: 'Duplicate window',
    hint: 'milliseconds in which the same value counts once',
  },
  {
    key: 'burstGapMs',
    schema: properties.burstGapMs,
    label: 'Burst gap',
    hint: 'milliseconds that two reads are apart at least; 0 takes all',
  },
  { key: 'symbologies', schema: properties.symbologies, label: 'Symbologies', hint: 'Taken; none ticked takes all.' },
];

const View = ({ node }: PanelProps) => (
  <>
    <Card title="Reads">
      <Log node={node} />
    </Card>
    <Card title="Policy">
      <ConfigForm node={node} at="scanner" settings={POLICY} />
    </Card>
  </>
);

function Log({ node }: { node: PageNode }) {
  const { data, fault, reload } = useLoaded(node.client.scans, POLL_MS);
  const { on } = node;
  useEffect(() => on('scan_read', () => void reload()), [on, reload]);
  if (data === undefined) return <p>{fault ?? 'Asking the node…'}</p>;
  const clear = async () => {
    await node.client.clearScans();
    await reload();
    return 'Cleared.';
  };
  return (
    <>
      {fault && <p class="bad">{fault}</p>}
      <p>
        {data.accepted} accepted, {data.rejected} rejected
        {unrecorded(data)}. The last {data.capacity} reads:
      </p>
      <Table
        caption="The last reads, newest first"
        head={['No.', 'Value', 'Verdict', 'Symbology', 'Gap before', 'When']}
        empty="Nothing was read yet."
        rows={data.scans.map(({ seq, value, verdict, symbology, symbologySource, ageMs, gapMs }) => ({
          key: seq,
          cells: [
            seq,
            <code key="value">{visible(value)}</code>,
            <Badge key="verdict" tone={VERDICTS[verdict][0]}>
              {VERDICTS[verdict][1]}
            </Badge>,
            `${symbology} (${symbologySource === 'aim' ? 'the scanner says' : 'worked out'})`,
            gapMs < 0 ? '–' : gapMs < 10_000 ? `${gapMs} ms` : duration(gapMs),
            ago(ageMs),
          ],
        }))}
      />
      {node.mayPrint && data.scans.length > 0 && (
        <Button onPress={clear} confirm="Clear the scan log for everybody?">
          Clear
        </Button>
      )}
    </>
  );
}

function unrecorded({ unrecorded: { symbology, unreadable } }: Scans): string {
  const parts = [
    symbology > 0 && `${symbology} of a symbology that is not taken`,
    unreadable > 0 && `${unreadable} damaged or too long`,
  ].filter(Boolean);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

const devices = ({ status }: PageNode) => devicesOf(status, 'scanner', say('title'));

export default definePanel({
  id: 'scanner',
  title: say('title'),
  order: 30,
  View,
  devices,
  Overview: ({ node }) => <Devices states={devices(node)} />,
});
