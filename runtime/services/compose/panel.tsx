/** A receipt from a sentence: composed by the cloud, looked at, then printed. */
import { useState } from 'preact/hooks';
import type { Line } from '../../../plugins/printer/contract.ts';
import {
  Button,
  Card,
  commandId,
  definePanel,
  Form,
  type PageNode,
  type PanelProps,
  TextArea,
} from '../../exports/panel.ts';
import { ComposeBody } from './contract.ts';

const printerOf = ({ status }: PageNode): string | undefined =>
  status?.identity.endpoints.find(({ kind }) => kind === 'printer')?.id;

function View({ node }: PanelProps) {
  const [prompt, setPrompt] = useState('');
  const [lines, setLines] = useState<readonly Line[]>();
  const endpoint = printerOf(node);
  if (endpoint === undefined) return <p>This node has no printer.</p>;
  if (!node.mayPrint) {
    return (
      <Card>
        <p class="quiet">Composing needs the API key while the API mode is strict, and this page holds none.</p>
      </Card>
    );
  }
  const compose = async () => {
    setLines(undefined);
    const composed = await node.client.compose({ id: commandId(), endpoint, prompt });
    setLines(composed.lines as unknown as readonly Line[]);
    return 'Composed: look at it before you print it.';
  };
  const print = async () => {
    await node.client.print({ type: 'print', id: commandId(), endpoint, lines: [...(lines ?? [])] });
    return 'Sent to the printer.';
  };
  return (
    <>
      <Card title="Compose a receipt">
        <p class="quiet">
          The sentence goes to the cloud that is set under “Cloud”; what comes back is checked like any other job.
        </p>
        <Form submit="Compose" onSubmit={compose}>
          <TextArea
            label="What should be on it?"
            hint={`${ComposeBody.properties.prompt.maxLength} characters at most`}
            required
            maxLength={ComposeBody.properties.prompt.maxLength ?? 0}
            value={prompt}
            onValue={setPrompt}
          />
        </Form>
      </Card>
      {lines && (
        <Card title="The receipt">
          <pre>{lines.map(inText).join('\n')}</pre>
          <Button kind="main" onPress={print}>
            Print it
          </Button>
        </Card>
      )}
    </>
  );
}

/** What a line says, without how it looks. */
function inText(line: Line): string {
  switch (line.type) {
    case 'text':
    case 'banner':
      return line.value;
    case 'columns':
      return line.cells.map(({ value }) => value).join('  ');
    case 'rule':
      return '────────────────';
    case 'feed':
      return '\n'.repeat((line.lines ?? 1) - 1);
    case 'barcode':
      return `[${line.symbology}: ${line.value}]`;
    case 'raster':
      return `[picture of ${line.width} × ${line.height} dots]`;
    case 'cut':
      return '✂ ─ ─ ─ ─ ─ ─ ─ ─';
  }
}

export default definePanel({ id: 'compose', title: 'Compose', order: 70, View });
