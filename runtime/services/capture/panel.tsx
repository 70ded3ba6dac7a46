/** The panel of the diagnostic ring: the newest transfers, as they happen. */
import { useState } from 'preact/hooks';
import type { NodeClient } from '../../client/client.ts';
import {
  Badge,
  Button,
  Card,
  definePanel,
  Form,
  type PageNode,
  type PanelProps,
  ReadOnly,
  speech,
  Table,
  TextField,
  useLoaded,
  visible,
} from '../../page/kit.ts';
import { CaptureMark } from './contract.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

const POLL_MS = 3000;
/** Number of records in the table; the file contains all. */
const SHOWN = 40;
/** Number of bytes shown of each record. */
const BYTES = 24;

/** The fields of a line of GET /capture that are shown. */
interface RecordLine {
  readonly seq: number;
  readonly tMs: number;
  readonly channel: string;
  readonly direction: 'in' | 'out' | 'mark' | 'connect';
  readonly endpoint?: string;
  readonly fault?: string;
  readonly text?: string;
  readonly repeats?: number;
  readonly length: number;
  readonly data: string;
}

/** The records, newest first, without lines that describe a device. */
async function newest(client: NodeClient): Promise<readonly RecordLine[]> {
  const records: RecordLine[] = [];
  for await (const record of client.capture()) {
    if (record.seq > 0 && records.push(record as RecordLine) > SHOWN) records.shift();
  }
  return records.reverse();
}

function View({ node }: PanelProps) {
  const { data, fault, reload } = useLoaded(() => newest(node.client), POLL_MS);
  const recording = node.config?.['capture'] === true;
  return (
    <>
      <Card title={say('recording')}>
        <p>
          <Badge tone={recording ? 'good' : 'plain'}>{recording ? say('records') : say('recordsNot')}</Badge>
        </p>
        {node.maySave ? (
          <Button kind="main" onPress={() => record(node, !recording)}>
            {recording ? say('stop') : say('start')}
          </Button>
        ) : (
          <ReadOnly what={say('theRecording')} />
        )}
        {recording && node.mayPrint && <Mark node={node} onMarked={reload} />}
        {data !== undefined && data.length > 0 && (
          <p>
            <a href="/capture" download="capture.ndjson">
              {say('download')}
            </a>
          </p>
        )}
        <p class="quiet">{say('about')}</p>
      </Card>
      <Card title={say('title')}>
        {fault && <p class="bad">{fault}</p>}
        {data && <Traffic records={data} />}
      </Card>
    </>
  );
}

async function record({ client, refresh }: PageNode, capture: boolean): Promise<undefined> {
  await client.configure({ capture });
  await refresh();
}

function Mark({ node, onMarked }: { node: PageNode; onMarked: () => Promise<void> }) {
  const [text, setText] = useState('');
  const mark = async () => {
    await node.client.mark({ text });
    setText('');
    await onMarked();
    return say('noted');
  };
  return (
    <Form submit={say('noteIt')} onSubmit={mark}>
      <TextField
        label={say('note')}
        hint={say('noteHint')}
        required
        maxLength={CaptureMark.properties.text.maxLength}
        value={text}
        onValue={setText}
      />
    </Form>
  );
}

const Traffic = ({ records }: { records: readonly RecordLine[] }) => (
  <Table
    caption={say('caption', { n: SHOWN })}
    head={[say('number'), say('seconds'), say('channel'), say('direction'), say('bytes'), say('data')]}
    empty={say('nothing')}
    rows={records.map(({ seq, tMs, channel, endpoint, direction, length, data, text, fault, repeats }) => ({
      key: seq,
      cells: [
        seq,
        (tMs / 1000).toFixed(3),
        endpoint === undefined ? channel : `${endpoint} (${channel})`,
        say(`direction_${direction}`),
        length,
        <>
          {text === undefined ? <Bytes data={data} length={length} /> : visible(text)}
          {repeats !== undefined && say('repeats', { n: repeats })}
          {fault && <Badge tone="bad">{say.find(`usb_${fault}`) ?? <code>{fault}</code>}</Badge>}
        </>,
      ],
    }))}
  />
);

function Bytes({ data, length }: Pick<RecordLine, 'data' | 'length'>) {
  const bytes = atob(data).slice(0, BYTES);
  const hex = Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join(' ');
  return (
    <>
      <code>{hex}</code> <code class="quiet">{bytes.replace(/[^ -~]/g, '·')}</code>
      {length > BYTES && ' …'}
    </>
  );
}

export default definePanel({ id: 'traffic', title: say('title'), order: 180, View });
