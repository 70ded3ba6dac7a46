/** The form that sets, replaces or clears the API key. */
import { useState } from 'preact/hooks';
import { NodeClient } from '../../client/client.ts';
import { Button, Form, type PageNode, randomText, speech, TextField } from '../../page/kit.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

const KEY = { least: 16, most: 128, made: 26 } as const;

interface KeyFormProps {
  readonly node: PageNode;
  readonly onSaved?: () => void;
}

/** The form shows the key as text, so that it can be written down: the node never shows it again. */
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
    return say('keySet');
  };
  const remove = async () => {
    await store('');
    return say('keyRemoved');
  };
  return (
    <Form submit={isSet ? say('replaceKey') : say('setKey')} onSubmit={save}>
      {isSet && <TextField label={say('currentKey')} type="password" required value={current} onValue={setCurrent} />}
      <TextField
        label={say('newKey')}
        hint={say('keyHint', { least: KEY.least, most: KEY.most })}
        required
        minLength={KEY.least}
        maxLength={KEY.most}
        pattern="[!-~][ -~]*[!-~]"
        value={key}
        onValue={setKey}
      />
      <div class="row">
        <button type="button" onClick={() => setKey(randomText(KEY.made))}>
          {say('generate')}
        </button>
        {isSet && (
          <Button kind="danger" confirm={say('removeAsk')} onPress={remove}>
            {say('removeKey')}
          </Button>
        )}
      </div>
    </Form>
  );
}
