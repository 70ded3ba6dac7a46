/** Firmware: what runs, what is newer, what the node does about it unasked, and restarts. */
import { useState } from 'preact/hooks';
import { NodeClient } from '../../client/client.ts';
import {
  Badge,
  Button,
  Card,
  commandId,
  definePanel,
  duration,
  Facts,
  Form,
  type PageNode,
  type PanelProps,
  ReadOnly,
  randomText,
  type Setting,
  SettingsForm,
  TextField,
  useLoaded,
} from '../../exports/panel.ts';
import { UpdateRequest } from './contract.ts';
import { Upload } from './panel-upload.tsx';

const { properties } = UpdateRequest;
const POLICY: readonly Setting[] = [
  { key: 'enabled', schema: properties.enabled, label: 'This node may look for updates' },
  {
    key: 'policy',
    schema: properties.policy,
    label: 'Unasked, the node',
    words: { off: 'does nothing', check: 'looks for a newer image', auto: 'looks for one and installs it' },
  },
];

const KEY_LENGTH = 26;

function View({ node }: PanelProps) {
  return (
    <>
      <Card title="What runs">
        {node.status && (
          <Facts
            rows={[
              ['Version', node.status.identity.firmwareVersion],
              ['Variant', node.status.identity.variant],
              ['Boot slot', node.status.identity.slot],
              ['Running for', duration(node.status.uptimeSeconds * 1000)],
            ]}
          />
        )}
      </Card>
      {node.maySave ? <Changes node={node} /> : <Locked node={node} />}
    </>
  );
}

/** The settings of updates are told to whoever may change them alone: an empty request changes nothing. */
function Changes({ node }: PanelProps) {
  const { data, fault, reload } = useLoaded(() => node.client.update({}));
  if (data === undefined) return <p>{fault ?? 'Asking the node…'}</p>;
  const look = async (request: { check: true } | { apply: true }) => {
    const { available } = await node.client.update(request);
    if (available === null || available === undefined) return 'There is no newer image.';
    return 'apply' in request ? `Installing ${available}: the node restarts.` : `Version ${available} is there.`;
  };
  return (
    <>
      <Card title="Updates from the cloud">
        <div class="row">
          <Button kind="main" onPress={() => look({ check: true })}>
            Look for an update
          </Button>
          <Button confirm="Install a newer image, if there is one?" onPress={() => look({ apply: true })}>
            Install it
          </Button>
        </div>
        <SettingsForm
          settings={POLICY}
          values={data}
          maySave
          onSave={async (patch) => {
            await node.client.update(patch);
            await reload();
          }}
        />
      </Card>
      <Card title="Install a file">
        <Upload node={node} />
      </Card>
      <Card title="Update key">
        <UpdateKey isSet={data.updateKeySet} onStored={reload} />
      </Card>
      <Card title="Restart">
        <div class="row">
          <Button confirm="Restart the node now?" onPress={() => restart(node)}>
            Restart
          </Button>
          <Revert node={node} />
        </div>
      </Card>
    </>
  );
}

/** At admin, booting the factory image alone needs no credential (specification 5.11). */
const Locked = ({ node }: PanelProps) => (
  <Card title="Updates and restarts">
    <ReadOnly what="How the node updates itself" />
    {node.mayPrint && <Revert node={node} />}
  </Card>
);

async function restart({ client }: PageNode): Promise<string> {
  await client.restart(commandId());
  return 'The node restarts; this page finds it again.';
}

const Revert = ({ node: { client } }: PanelProps) => (
  <Button
    kind="danger"
    confirm="Go back to the factory image? Settings stay."
    onPress={async () => {
      await client.update({ boot: 'factory' });
      return 'The node restarts onto the factory image.';
    }}
  >
    Boot the factory image
  </Button>
);

function UpdateKey({ isSet, onStored }: { isSet: boolean; onStored: () => Promise<void> }) {
  const [key, setKey] = useState('');
  const [current, setCurrent] = useState('');
  const store = async (updateKey: string) => {
    await put({ updateKey }, current);
    await onStored();
    setCurrent('');
  };
  return (
    <>
      <p>
        {isSet ? (
          <Badge tone="good">A key is set.</Badge>
        ) : (
          <Badge tone="warn">No key is set: the node takes no image from anybody.</Badge>
        )}
      </p>
      <Form
        submit={isSet ? 'Replace the update key' : 'Set the update key'}
        onSubmit={async () => {
          await store(key);
          return 'The update key is set. Write it down: the node does not show it again.';
        }}
      >
        {isSet && (
          <TextField label="Current update key" type="password" required value={current} onValue={setCurrent} />
        )}
        <TextField
          label="New update key"
          hint="16 to 128 letters, digits and signs, no spaces"
          required
          minLength={16}
          maxLength={128}
          pattern="[!-~]*"
          value={key}
          onValue={setKey}
        />
        <div class="row">
          <button type="button" onClick={() => setKey(randomText(KEY_LENGTH))}>
            Generate an update key
          </button>
        </div>
      </Form>
    </>
  );
}

/** With the key that is in force, as a bearer. */
async function put(body: object, bearer: string): Promise<void> {
  const headers = bearer === '' ? {} : { Authorization: `Bearer ${bearer}` };
  const client = new NodeClient({
    url: '',
    fetch: (url, init) => fetch(url, { ...init, headers }),
  });
  await client.request('PUT', '/update', body);
}

export default definePanel({ id: 'update', title: 'Update', order: 160, View });
