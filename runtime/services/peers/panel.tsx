/** What the node is called, and the nodes around it. */
import { useState } from 'preact/hooks';
import {
  ago,
  Card,
  definePanel,
  Form,
  type PageNode,
  type PanelProps,
  ReadOnly,
  Table,
  TextField,
  useLoaded,
} from '../../exports/panel.ts';

/** As often as nodes tell of themselves. */
const POLL_MS = 5000;
const HTTP_PORT = 80;

function View({ node }: PanelProps) {
  const { data, fault } = useLoaded(node.client.peers, POLL_MS);
  return (
    <>
      <Card title="Name">{node.status && <Name key={nameOf(node)} node={node} />}</Card>
      <Card title="Other nodes">
        {fault && <p class="bad">{fault}</p>}
        {data && (
          <Table
            caption="Other nodes in this network"
            head={['Node', 'Address', 'Variant', 'Version', 'Heard']}
            empty="No other node was heard in this network."
            rows={data.peers.map(({ id, name, address, variant, firmwareVersion, httpPort, ageMs }) => ({
              key: address,
              cells: [
                <a
                  key="page"
                  href={`http://${address}${httpPort === HTTP_PORT ? '' : `:${httpPort}`}/`}
                  rel="noreferrer"
                >
                  {name || `node-${id}`}
                </a>,
                address,
                variant,
                firmwareVersion,
                ago(ageMs),
              ],
            }))}
          />
        )}
      </Card>
    </>
  );
}

const nameOf = ({ status }: PageNode): string =>
  (status?.identity as { readonly name?: string } | undefined)?.name ?? '';

function Name({ node }: { node: PageNode }) {
  const [name, setName] = useState(nameOf(node));
  if (!node.maySave) {
    return (
      <>
        <p>{name || 'none'}</p>
        <ReadOnly what="The name" />
      </>
    );
  }
  const save = async () => {
    await node.client.rename(name);
    await node.refresh();
    return 'Saved.';
  };
  return (
    <Form submit="Save" onSubmit={save}>
      <TextField label="Name" hint="such as “Till 1”, 63 bytes at most" required value={name} onValue={setName} />
    </Form>
  );
}

export default definePanel({ id: 'nodes', title: 'Name and nodes', order: 120, View });
