/** The paper as it comes out of the virtual printer. */
import { useEffect, useState } from 'preact/hooks';
import { Button, Card, Drawing, type PageNode, speech, useLoaded } from '../../runtime/page/kit.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

/** Events after which the paper may have changed: the result of a job, and a printer that continues one. */
const TELLING = ['command_result', 'printer_status'];

/** Shows the paper, with a button to tear it off. */
export function PaperCard({ node }: { node: PageNode }) {
  const { on, client, status } = node;
  const { data, fault, reload } = useLoaded(async () => {
    const [svg, text] = await Promise.all([client.twin.paperSvg(), client.twin.paper()]);
    return { svg, text };
  });
  useEffect(() => {
    const ends = TELLING.map((type) => on(type, () => void reload()));
    return () => {
      for (const end of ends) end();
    };
  }, [on, reload]);
  // Jobs from port 9100 send no event: a change of its byte count shows them.
  const raw = status?.raw?.bytes;
  const [seen, setSeen] = useState(raw);
  useEffect(() => {
    if (raw !== seen) void reload();
    setSeen(raw);
  }, [raw, seen, reload]);
  const tearOff = async () => {
    await client.twin.tearOff();
    await reload();
    return say('tornOff');
  };
  return (
    <Card title={say('paper')}>
      {fault && <p class="bad">{fault}</p>}
      {data?.text === '' && <p class="quiet">{say('noPaper')}</p>}
      {data !== undefined && data.text !== '' && (
        <>
          <div class="paper">
            <Drawing svg={data.svg} label={say('paperDrawing')} />
          </div>
          <details>
            <summary>{say('asText')}</summary>
            <pre class="paper-text">{data.text}</pre>
          </details>
        </>
      )}
      <Button onPress={tearOff}>{say('tearOff')}</Button>
    </Card>
  );
}
