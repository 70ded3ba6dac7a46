/** The panel of the firmware: versions, update policy and restarts. */
import { useState } from 'preact/hooks';
import { NodeClient } from '../../client/client.ts';
import {
  Asking,
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
  slotName,
  speech,
  TextField,
  useLoaded,
} from '../../page/kit.ts';
import { UpdateRequest } from './contract.ts';
import { Upload } from './panel-upload.tsx';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

const { properties } = UpdateRequest;
const POLICY: readonly Setting[] = [
  { key: 'enabled', schema: properties.enabled, label: say('enabled') },
  {
    key: 'policy',
    schema: properties.policy,
    label: say('unasked'),
    words: { off: say('policy_off'), check: say('policy_check'), auto: say('policy_auto') },
  },
];

const KEY_LENGTH = 26;

function View({ node }: PanelProps) {
  return (
    <>
      <Card title={say('runs')}>
        {node.status && (
          <Facts
            rows={[
              [say('version'), node.status.identity.firmwareVersion],
              [say('variant'), node.status.identity.variant],
              [say('slot'), slotName(node.status.identity.slot)],
              [say('runningFor'), duration(node.status.uptimeSeconds * 1000)],
            ]}
          />
        )}
      </Card>
      {node.maySave ? <Changes node={node} /> : <Locked node={node} />}
    </>
  );
}

/** Reads the update settings by an empty PUT, which changes nothing: only who may change them can read them. */
function Changes({ node }: PanelProps) {
  const { data, fault, reload } = useLoaded(() => node.client.update({}));
  if (data === undefined) return <Asking fault={fault} />;
  const look = async (request: { check: true } | { apply: true }) => {
    const { available } = await node.client.update(request);
    if (available === null || available === undefined) return say('noNewer');
    return 'apply' in request ? say('installing', { version: available }) : say('isThere', { version: available });
  };
  return (
    <>
      <Card title={say('fromCloud')}>
        <div class="row">
          <Button kind="main" onPress={() => look({ check: true })}>
            {say('look')}
          </Button>
          <Button confirm={say('installAsk')} onPress={() => look({ apply: true })}>
            {say('installIt')}
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
      <Card title={say('installFile')}>
        <Upload node={node} />
      </Card>
      <Card title={say('updateKey')}>
        <UpdateKey isSet={data.updateKeySet} onStored={reload} />
      </Card>
      <Card title={say('restart')}>
        <div class="row">
          <Button confirm={say('restartAsk')} onPress={() => restart(node)}>
            {say('restart')}
          </Button>
          <Revert node={node} />
        </div>
      </Card>
    </>
  );
}

/** In the mode admin, only booting the factory image needs no credential (specification 5.11). */
const Locked = ({ node }: PanelProps) => (
  <Card title={say('locked')}>
    <ReadOnly what={say('howUpdates')} />
    {node.mayPrint && <Revert node={node} />}
  </Card>
);

async function restart({ client }: PageNode): Promise<string> {
  await client.restart(commandId());
  return say('restarts');
}

const Revert = ({ node: { client } }: PanelProps) => (
  <Button
    kind="danger"
    confirm={say('factoryAsk')}
    onPress={async () => {
      await client.update({ boot: 'factory' });
      return say('toFactory');
    }}
  >
    {say('bootFactory')}
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
      <p>{isSet ? <Badge tone="good">{say('keyIsSet')}</Badge> : <Badge tone="warn">{say('noKeySet')}</Badge>}</p>
      <Form
        submit={isSet ? say('replaceKey') : say('setKey')}
        onSubmit={async () => {
          await store(key);
          return say('keySet');
        }}
      >
        {isSet && <TextField label={say('currentKey')} type="password" required value={current} onValue={setCurrent} />}
        <TextField
          label={say('newKey')}
          hint={say('newKeyHint')}
          required
          minLength={16}
          maxLength={128}
          pattern="[!-~]*"
          value={key}
          onValue={setKey}
        />
        <div class="row">
          <button type="button" onClick={() => setKey(randomText(KEY_LENGTH))}>
            {say('generate')}
          </button>
        </div>
      </Form>
    </>
  );
}

/** Sends a request with the current update key as bearer token. */
async function put(body: object, bearer: string): Promise<void> {
  const headers = bearer === '' ? {} : { Authorization: `Bearer ${bearer}` };
  const client = new NodeClient({
    url: '',
    fetch: (url, init) => fetch(url, { ...init, headers }),
  });
  await client.request('PUT', '/update', body);
}

export default definePanel({ id: 'update', title: say('title'), order: 160, View });
