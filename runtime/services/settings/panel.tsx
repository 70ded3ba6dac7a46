/** The panel of the API key, the mode and the host names. */

import { useState } from 'preact/hooks';
import {
  Badge,
  Card,
  ConfigForm,
  definePanel,
  Form,
  type PageNode,
  type PanelProps,
  ReadOnly,
  SelectField,
  type Setting,
  speech,
} from '../../page/kit.ts';
import { ApiMode, Hosts } from './contract.ts';
import { KeyForm } from './panel-key.tsx';
import { Move } from './panel-move.tsx';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

const HOSTS: readonly Setting[] = [
  {
    key: 'hosts',
    schema: Hosts,
    label: say('hosts'),
    hint: say('hostsHint'),
  },
];

const View = ({ node }: PanelProps) => (
  <>
    <Card title={say('apiMode')}>
      <Mode node={node} />
    </Card>
    <Card title={say('apiKey')}>
      <p>
        {node.config?.['apiKeySet'] === true ? (
          <Badge tone="good">{say('keyIsSet')}</Badge>
        ) : (
          <Badge tone="warn">{say('noKeySet')}</Badge>
        )}
      </p>
      {node.config?.['apiKeySet'] === false && <p class="quiet">{say('offer')}</p>}
      {node.maySave ? <KeyForm node={node} /> : <ReadOnly what={say('apiKey')} />}
      <p class="quiet">{say('lostKey')}</p>
    </Card>
    <Card title={say('hosts')}>
      <ConfigForm node={node} settings={HOSTS} />
    </Card>
    <Move node={node} />
  </>
);

function Mode({ node }: { node: PageNode }) {
  const stored = node.config?.apiMode ?? 'open';
  const [mode, setMode] = useState(stored);
  if (!node.maySave) {
    return (
      <>
        <p>{say(`mode_${stored}`)}</p>
        <ReadOnly what={say('mode')} />
      </>
    );
  }
  if (node.config?.apiKeySet !== true)
    return (
      <p>
        {say(`mode_${stored}`)}. {say('needsKeyFirst')}
      </p>
    );
  const save = async () => {
    await node.client.configure({ apiMode: mode });
    await node.refresh();
    return say('saved');
  };
  return (
    <Form submit={say('save')} onSubmit={save}>
      <SelectField
        label={say('mode')}
        hint={say('modeHint')}
        value={mode}
        options={ApiMode.anyOf.map(({ const: name }) => [name, say(`mode_${name}`)])}
        onValue={setMode}
      />
    </Form>
  );
}

export default definePanel({ id: 'access', title: say('title'), order: 155, View });
