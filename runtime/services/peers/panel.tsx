/** The panel of the node's name and of the other nodes. */
import { useState } from 'preact/hooks';
import {
  ago,
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
} from '../../page/kit.ts';
import words from './words/en.json' with { type: 'json' };
import faults from './words/fault/en.json' with { type: 'json' };

const say = speech(words);
const sayFault = speech(faults);

/** As often as nodes send beacons. */
const POLL_MS = 5000;
const HTTP_PORT = 80;

function View({ node }: PanelProps) {
  const { data, fault } = useLoaded(node.client.peers, POLL_MS);
  return (
    <>
      <Double node={node} />
      <Card title={say('name')}>{node.status && <Name key={nameOf(node)} node={node} />}</Card>
      <Card title={say('others')}>
        {fault && <p class="bad">{fault}</p>}
        {data && (
          <Table
            caption={say('othersCaption')}
            head={[say('node'), say('address'), say('variant'), say('version'), say('heard')]}
            empty={say('noOthers')}
            rows={data.peers.map(({ id, name, address, variant, firmwareVersion, httpPort, ageMs }) => ({
              key: address,
              cells: [
                <a
                  key="page"
                  href={`http://${address}${httpPort === HTTP_PORT ? '' : `:${httpPort}`}/`}
                  rel="noreferrer"
                  dir="auto"
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

/** Another device has the identity of this node, or this node gets another one; nothing where neither is so. */
function Double({ node }: PanelProps) {
  const { deviceId = '', duplicate, pendingDeviceId } = node.status?.identity ?? {};
  if (duplicate === undefined && pendingDeviceId === undefined) return null;
  const renew = async () => {
    await node.client.renewIdentity();
    await node.refresh();
    return undefined;
  };
  return (
    <Card urgent title={sayFault('duplicateTitle')}>
      {duplicate && (
        <p>{sayFault('duplicate', { address: duplicate.addresses.join(', '), host: `node-${deviceId}` })}</p>
      )}
      {pendingDeviceId === undefined ? (
        node.maySave && (
          <Button confirm={say('renewAsk')} onPress={renew}>
            {say('renew')}
          </Button>
        )
      ) : (
        <p>{say('renewed', { id: pendingDeviceId })}</p>
      )}
    </Card>
  );
}

const nameOf = ({ status }: PageNode): string => status?.identity.name ?? '';

function Name({ node }: { node: PageNode }) {
  const [name, setName] = useState(nameOf(node));
  if (!node.maySave) {
    return (
      <>
        <p dir="auto">{name || say('noName')}</p>
        <ReadOnly what={say('name')} />
      </>
    );
  }
  const save = async () => {
    await node.client.rename(name);
    await node.refresh();
    return say('saved');
  };
  return (
    <Form submit={say('save')} onSubmit={save}>
      <TextField label={say('name')} hint={say('nameHint')} required value={name} onValue={setName} />
    </Form>
  );
}

export default definePanel({ id: 'nodes', title: say('title'), order: 120, View, Overview: Double });
