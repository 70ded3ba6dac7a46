/** Moving house: the settings of the node as a file, and back. */
import { useState } from 'preact/hooks';
import { Button, Card, Form, type PanelProps, ReadOnly, speech } from '../../page/kit.ts';
import { backup, MOST_CHARACTERS, readSaved, restore } from './client-backup.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);
const FILE = 'settings-file';

/** What a person has to do besides; '' where there is nothing. */
const besides = (typeAnew: readonly string[], leftOut: readonly string[] = []): string =>
  [
    ...(typeAnew.length === 0 ? [] : [say('typeAnew', { keys: typeAnew.join(', ') })]),
    ...(leftOut.length === 0 ? [] : [say('leftOut', { keys: leftOut.join(', ') })]),
  ]
    .map((sentence) => ` ${sentence}`)
    .join('');

/** Hands a text to the browser as a file to keep. */
function keep(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = `data:application/json;charset=utf-8,${encodeURIComponent(text)}`;
  link.download = name;
  link.click();
}

/** The card of the panel. */
export function Move({ node }: PanelProps) {
  const [file, setFile] = useState<File>();
  const { client, refresh } = node;
  const save = async () => {
    const saved = await backup(client);
    keep(`tillnode-${saved.from.deviceId}.json`, JSON.stringify(saved, null, 2));
    return `${say('fileSaved')}${besides(saved.typeAnew)}`;
  };
  const load = async () => {
    if (file === undefined) return undefined;
    const { typeAnew, leftOut } = await restore(client, readSaved(await file.slice(0, 4 * MOST_CHARACTERS).text()));
    await refresh();
    return `${say('fileLoaded')}${besides(typeAnew, leftOut)}`;
  };
  return (
    <Card title={say('move')}>
      <p class="quiet">{say('moveAbout')}</p>
      <Button onPress={save}>{say('saveFile')}</Button>
      {node.maySave ? (
        <Form submit={say('loadFile')} onSubmit={load}>
          <div class="field">
            <label for={FILE}>{say('settingsFile')}</label>
            <input
              id={FILE}
              type="file"
              accept=".json"
              required
              onChange={({ currentTarget }) => setFile(currentTarget.files?.[0])}
            />
          </div>
        </Form>
      ) : (
        <ReadOnly />
      )}
    </Card>
  );
}
