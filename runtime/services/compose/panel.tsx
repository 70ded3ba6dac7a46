/** The panel that composes a receipt from a sentence, shows it and prints it. */
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
  speech,
  TextArea,
} from '../../page/kit.ts';
import { ComposeBody } from './contract.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

const printerOf = ({ status }: PageNode): string | undefined =>
  status?.identity.endpoints.find(({ kind }) => kind === 'printer')?.id;

function View({ node }: PanelProps) {
  const [prompt, setPrompt] = useState('');
  const [lines, setLines] = useState<readonly Line[]>();
  const endpoint = printerOf(node);
  if (endpoint === undefined) return <p>{say('noPrinter')}</p>;
  if (!node.mayPrint) {
    return (
      <Card>
        <p class="quiet">{say('needsKey')}</p>
      </Card>
    );
  }
  const compose = async () => {
    setLines(undefined);
    const composed = await node.client.compose({ id: commandId(), endpoint, prompt });
    setLines(composed.lines as unknown as readonly Line[]);
    return say('composed');
  };
  const print = async () => {
    await node.client.print({ type: 'print', id: commandId(), endpoint, lines: [...(lines ?? [])] });
    return say('sent');
  };
  return (
    <>
      <Card title={say('heading')}>
        <p class="quiet">{say('about')}</p>
        <Form submit={say('title')} onSubmit={compose}>
          <TextArea
            label={say('what')}
            hint={say('atMost', { n: ComposeBody.properties.prompt.maxLength ?? 0 })}
            required
            maxLength={ComposeBody.properties.prompt.maxLength ?? 0}
            value={prompt}
            onValue={setPrompt}
          />
        </Form>
      </Card>
      {lines && (
        <Card title={say('receipt')}>
          <pre>{lines.map(inText).join('\n')}</pre>
          <Button kind="main" onPress={print}>
            {say('print')}
          </Button>
        </Card>
      )}
    </>
  );
}

/** The text of a line, without its style. */
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
      return say('raster', { width: line.width, height: line.height });
    case 'cut':
      return '✂ ─ ─ ─ ─ ─ ─ ─ ─';
  }
}

export default definePanel({ id: 'compose', title: say('title'), order: 70, View });
