/** The form that sets, replaces or takes away the API key. */
import { useState } from 'preact/hooks';
import { NodeClient } from '../../client/client.ts';
import { Button, Form, type PageNode, randomText, TextField } from '../../exports/panel.ts';

const KEY = { least: 16, most: 128, made: 26 } as const;

interface KeyFormProps {
  readonly node: PageNode;
  readonly onSaved?: () => void;
}

/** The key stands there to be read: it is about to be written down, and the node never shows it again. */
export function KeyForm({ node, onSaved }: KeyFormProps) {
  const [key, setKey] = useState('');
  const [current, setCurrent] = useState('');
  const isSet = node.config?.['apiKeySet'] === true;

  const store = async (apiKey: string) => {
    const client = current === '' ? node.client : new NodeClient({ url: '', apiKey: current });
    await client.configure({ apiKey });
    onSaved?.();
    await node.refresh();
    setCurrent('');
  };
  const save = async () => {
    await store(key);
    return 'The key is set. Write it down: the node does not show it again.';
  };
  const remove = async () => {
    await store('');
    return 'The key was removed.';
  };
  return (
    <Form submit={isSet ? 'Replace the key' : 'Set the key'} onSubmit={save}>
      {isSet && <TextField label="Current key" type="password" required value={current} onValue={setCurrent} />}
      <TextField
        label="New key"
        hint={`${KEY.least} to ${KEY.most} letters, digits and signs`}
        required
        minLength={KEY.least}
        maxLength={KEY.most}
        pattern="[!-~][ -~]*[!-~]"
        value={key}
        onValue={setKey}
      />
      <div class="row">
        <button type="button" onClick={() => setKey(randomText(KEY.made))}>
          Generate a key
        </button>
        {isSet && (
          <Button kind="danger" confirm="Remove the API key?" onPress={remove}>
            Remove the key
          </Button>
        )}
      </div>
    </Form>
  );
}
