/** The panel of the sample: its last reading, and a line to send. The build finds it by its name. */
import { useEffect, useState } from 'preact/hooks';
import {
  Asking,
  Card,
  Devices,
  definePanel,
  devicesOf,
  Form,
  type PageNode,
  type PanelProps,
  ReadOnly,
  speech,
  TextField,
  useLoaded,
} from 'tillnode/panel';
// Other languages stand beside it: `words/de.json` has the same keys.
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

/** The last reading, as it changes. */
function Reading({ client, on }: PageNode) {
  const { data, fault, reload } = useLoaded(() => client.sample());
  useEffect(() => on('sample_read', () => void reload()), [on, reload]);
  if (data === undefined) return <Asking fault={fault} />;
  return (
    <Card title={say('last')}>
      <p class={data.value === null ? 'quiet' : 'reading'}>
        <bdi>{data.value ?? say('none')}</bdi>
      </p>
    </Card>
  );
}

function Send({ node: { client, mayPrint } }: PanelProps) {
  const [line, setLine] = useState('');
  if (!mayPrint) return <ReadOnly />;
  const send = async () => {
    await client.sampleSay({
      type: 'sample_say',
      id: `page-${Date.now()}`,
      endpoint: 'sample',
      line,
    });
    return say('sent');
  };
  return (
    <Card title={say('send')}>
      <Form submit={say('send')} onSubmit={send}>
        <TextField label={say('line')} value={line} onValue={setLine} maxLength={80} required />
      </Form>
    </Card>
  );
}

const View = ({ node }: PanelProps) => (
  <>
    <Reading {...node} />
    <Send node={node} />
  </>
);

/** For a person at the till; `devicesOf` says whether it is there. */
const devices = ({ status }: PageNode) => devicesOf(status, 'sample', say('title'));

export default definePanel({
  id: 'sample',
  title: say('title'),
  order: 45,
  View,
  devices,
  Overview: ({ node }) => <Devices states={devices(node)} />,
});
