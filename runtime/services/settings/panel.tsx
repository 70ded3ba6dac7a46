/** Who may change the node: the API key and the mode, and the names that it answers to. */

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
} from '../../exports/panel.ts';
import { ApiMode, Hosts } from './contract.ts';
import { KeyForm } from './panel-key.tsx';
import { KeyOffer } from './panel-offer.tsx';

const MODES = {
  open: 'open: everybody in this network may do everything',
  admin: 'admin: settings, network, updates and restarts need the key',
  strict: 'strict: printing, the drawer and clearing logs need it, too',
};

const HOSTS: readonly Setting[] = [
  {
    key: 'hosts',
    schema: Hosts,
    label: 'Host names',
    hint: 'one a line, eight at most; beside addresses and .local names',
  },
];

const View = ({ node }: PanelProps) => (
  <>
    <Card title="API mode">
      <Mode node={node} />
    </Card>
    <Card title="API key">
      <p>
        {node.config?.['apiKeySet'] === true ? (
          <Badge tone="good">A key is set.</Badge>
        ) : (
          <Badge tone="warn">No key is set.</Badge>
        )}
      </p>
      {node.maySave ? <KeyForm node={node} /> : <ReadOnly what="The key" />}
      <p class="quiet">
        A lost key is taken away by holding the B button on the node for 15 seconds while it runs. Requests are plain
        HTTP: a key keeps out who does not know it, not who listens to the network. Port 9100 asks for no key in any
        mode.
      </p>
    </Card>
    <Card title="Host names">
      <ConfigForm node={node} settings={HOSTS} />
    </Card>
  </>
);

function Mode({ node }: { node: PageNode }) {
  const stored = node.config?.apiMode ?? 'open';
  const [mode, setMode] = useState(stored);
  if (!node.maySave) {
    return (
      <>
        <p>{MODES[stored]}</p>
        <ReadOnly what="The mode" />
      </>
    );
  }
  if (node.config?.apiKeySet !== true) return <p>{MODES[stored]}. Any other mode needs a key first.</p>;
  const save = async () => {
    await node.client.configure({ apiMode: mode });
    await node.refresh();
    return 'Saved.';
  };
  return (
    <Form submit="Save" onSubmit={save}>
      <SelectField
        label="Mode"
        hint="Above open, this page shows everything and saves nothing: it holds no key. Only a program with the key gets back."
        value={mode}
        options={ApiMode.anyOf.map(({ const: name }) => [name, MODES[name]])}
        onValue={setMode}
      />
    </Form>
  );
}

export default definePanel({ id: 'access', title: 'Access', order: 100, View, Notice: KeyOffer });
