/** The traffic ring: what crosses the node's channels, as it happens. */
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
  Table,
  TextField,
  useLoaded,
  visible,
} from '../../exports/panel.ts';
import { CaptureMark } from './contract.ts';

const POLL_MS = 3000;
/** Records in the table; the file has them all. */
const SHOWN = 40;
/** Bytes of each. */
const BYTES = 24;

/** A line of GET /capture, as far as it is shown. */
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

/** Newest first. A connect is no record of the ring. */
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
      <Card title="Recording">
        <p>
          <Badge tone={recording ? 'good' : 'plain'}>
            {recording ? 'The ring records.' : 'The ring does not record.'}
          </Badge>
        </p>
        {node.maySave ? (
          <Button kind="main" onPress={() => record(node, !recording)}>
            {recording ? 'Stop recording' : 'Start recording'}
          </Button>
        ) : (
          <ReadOnly what="The recording" />
        )}
        {recording && node.mayPrint && <Mark node={node} onMarked={reload} />}
        {data !== undefined && data.length > 0 && (
          <p>
            <a href="/capture" download="capture.ndjson">
              Download the recording (NDJSON)
            </a>
          </p>
        )}
        <p class="quiet">
          The last 512 transfers over USB and port 9100, with the first 256 bytes of each. Requests over HTTP are not in
          it, and so no key or password is.
        </p>
      </Card>
      <Card title="Traffic">
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
    return 'Noted.';
  };
  return (
    <Form submit="Note it" onSubmit={mark}>
      <TextField
        label="Note"
        hint="into the recording, such as what was done just now"
        required
        maxLength={CaptureMark.properties.text.maxLength}
        value={text}
        onValue={setText}
      />
    </Form>
  );
}

const DIRECTIONS: Readonly<Record<RecordLine['direction'], string>> = {
  in: '← in',
  out: '→ out',
  mark: 'note',
  connect: 'connected',
};

const Traffic = ({ records }: { records: readonly RecordLine[] }) => (
  <Table
    caption={`The last ${SHOWN} records, newest first`}
    head={['No.', 'Seconds', 'Channel', 'Direction', 'Bytes', 'Data']}
    empty="Nothing was recorded."
    rows={records.map(({ seq, tMs, channel, endpoint, direction, length, data, text, fault, repeats }) => ({
      key: seq,
      cells: [
        seq,
        (tMs / 1000).toFixed(3),
        endpoint === undefined ? channel : `${endpoint} (${channel})`,
        DIRECTIONS[direction],
        length,
        <>
          {text === undefined ? <Bytes data={data} length={length} /> : visible(text)}
          {repeats !== undefined && ` and ${repeats} times more`}
          {fault && <Badge tone="bad">{fault}</Badge>}
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

export default definePanel({ id: 'traffic', title: 'Traffic', order: 180, View });
