/** The panel of the scanner: its reads with their verdicts, and the settings of the policy. */
import { Fragment } from 'preact';
import { useEffect } from 'preact/hooks';
import {
  Asking,
  ago,
  Badge,
  Button,
  Card,
  ConfigForm,
  counted,
  Devices,
  definePanel,
  devicesOf,
  duration,
  Facts,
  type PageNode,
  type PanelProps,
  type Setting,
  speech,
  Table,
  type Tone,
  useLoaded,
  visible,
} from '../../runtime/page/kit.ts';
import { ScannerConfig, type Scans, type Verdict } from './contract.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

/** Rejected reads send no event, so the log is polled. */
const POLL_MS = 2000;

const toneOf = (verdict: Verdict): Tone => (verdict === 'accepted' ? 'good' : 'warn');

/** Names of symbologies are the same everywhere; what is none of them has a word. */
const symbologyName = (name: string): string => (name === 'other' ? say('otherSymbology') : name);

const { properties } = ScannerConfig;
const POLICY: readonly Setting[] = [
  {
    key: 'readMode',
    schema: properties.readMode,
    label: say('readMode'),
    hint: say('readModeHint'),
    words: { auto: say('modeAuto'), keyboard: say('modeKeyboard'), hidpos: say('modeHid') },
  },
  {
    key: 'layout',
    schema: properties.layout,
    label: say('layout'),
    hint: say('layoutHint'),
    words: {
      us: say('layout_us'),
      uk: say('layout_uk'),
      de: say('layout_de'),
      fr: say('layout_fr'),
      es: say('layout_es'),
      it: say('layout_it'),
    },
  },
  { key: 'minLength', schema: properties.minLength, label: say('minLength'), hint: say('characters') },
  {
    key: 'interKeyTimeoutMs',
    schema: properties.interKeyTimeoutMs,
    label: say('interKey'),
    hint: say('interKeyHint'),
  },
  {
    key: 'duplicateWindowMs',
    schema: properties.duplicateWindowMs,
    label: say('duplicateWindow'),
    hint: say('duplicateHint'),
  },
  {
    key: 'burstGapMs',
    schema: properties.burstGapMs,
    label: say('burstGap'),
    hint: say('burstHint'),
  },
  {
    key: 'symbologies',
    schema: properties.symbologies,
    label: say('symbologies'),
    hint: say('symbologiesHint'),
    words: { other: say('otherSymbology') },
  },
];

const View = ({ node }: PanelProps) => (
  <>
    <Card title={say('reads')}>
      <Log node={node} />
    </Card>
    <Card title={say('policy')}>
      <ConfigForm node={node} at="scanner" settings={POLICY} />
    </Card>
  </>
);

function Log({ node }: { node: PageNode }) {
  const { data, fault, reload } = useLoaded(node.client.scans, POLL_MS);
  const { on } = node;
  useEffect(() => on('scan_read', () => void reload()), [on, reload]);
  if (data === undefined) return <Asking fault={fault} />;
  const clear = async () => {
    await node.client.clearScans();
    await reload();
    return say('cleared');
  };
  return (
    <>
      {fault && <p class="bad">{fault}</p>}
      <p>
        {say('counts', { accepted: data.accepted, rejected: data.rejected, capacity: data.capacity })}{' '}
        {unrecorded(data)}
      </p>
      <Facts rows={[[say('scans'), counted(node.status, data.endpoint, 'scans')]]} />
      <Table
        caption={say('lastReads')}
        head={[say('number'), say('value'), say('verdict'), say('symbology'), say('gapBefore'), say('when')]}
        empty={say('nothingRead')}
        rows={data.scans.map(({ seq, value, verdict, symbology, symbologySource, ageMs, gapMs, suspect }) => ({
          key: seq,
          cells: [
            seq,
            <code key="value" dir="auto">
              {visible(value)}
            </code>,
            <Fragment key="verdict">
              <Badge tone={suspect ? 'warn' : toneOf(verdict)}>{say(verdict)}</Badge>
              {suspect && <p class="quiet">{say(`suspect_${suspect}`)}</p>}
            </Fragment>,
            say(symbologySource === 'aim' ? 'aim' : 'derived', { symbology: symbologyName(symbology) }),
            gapMs < 0 ? '–' : gapMs < 10_000 ? say('ms', { n: gapMs }) : duration(gapMs),
            ago(ageMs),
          ],
        }))}
      />
      {node.mayPrint && data.scans.length > 0 && (
        <Button onPress={clear} confirm={say('clearAsk')}>
          {say('clear')}
        </Button>
      )}
    </>
  );
}

function unrecorded({ unrecorded: { symbology, unreadable } }: Scans): string {
  return symbology + unreadable === 0 ? '' : say('unrecorded', { symbology, unreadable });
}

const devices = ({ status }: PageNode) => devicesOf(status, 'scanner', say('title'));

/** State of the scanners, with the last read; each that is accepted is an event. */
function Overview({ node }: PanelProps) {
  const { data, reload } = useLoaded(node.client.scans);
  const { on } = node;
  useEffect(() => on('scan_read', () => void reload()), [on, reload]);
  const last = data?.scans.find(({ verdict }) => verdict === 'accepted');
  return (
    <Devices states={devices(node)}>
      {last && (
        <p>
          <code dir="auto">{visible(last.value)}</code>
        </p>
      )}
    </Devices>
  );
}

export default definePanel({
  id: 'scanner',
  title: say('title'),
  order: 30,
  View,
  devices,
  Overview,
});
