/** "It does not print": each sentence that the node or its page may say, with what to do, and a text for whoever helps. */
import { useEffect, useState } from 'preact/hooks';
import type { NodeClient } from '../../client/client.ts';
import { Button, Card, definePanel, meaningOf, type PanelProps, speech } from '../../page/kit.ts';
import { isKnown, TOPICS } from './topics.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);
const ID = 'trouble';
const addressOf = (code: string): string => `${ID}/${code}`;
const codeHere = (): string => location.hash.slice(`#${ID}/`.length);

/** The code that the address names; '' for none. */
function useCode(): string {
  const [code, setCode] = useState(codeHere);
  useEffect(() => {
    const follow = () => setCode(codeHere());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return code;
}

function View({ node }: PanelProps) {
  const code = useCode();
  useEffect(() => {
    const sentence = document.getElementById(addressOf(code));
    sentence?.focus();
    sentence?.scrollIntoView();
  }, [code]);
  return (
    <>
      <p>{say('intro')}</p>
      {Object.entries(TOPICS).map(([topic, codes]) => (
        <Card key={topic}>
          <ul class="told">
            {codes.map((each) => (
              <li key={each} id={addressOf(each)} tabIndex={-1} aria-current={each === code ? 'true' : undefined}>
                {say.find(`says_${each}`) ?? meaningOf(each)}
              </li>
            ))}
          </ul>
          <p>{say.find(`do_${topic}`)}</p>
        </Card>
      ))}
      <Report client={node.client} />
    </>
  );
}

/** One text of what the node tells of itself; of a part that cannot be had, why. */
async function collect({ status, jobs, unknownDevices, bootlog }: NodeClient): Promise<string> {
  const parts = { status, jobs, unknownDevices, bootlog };
  const had = Object.entries(parts).map(([name, ask]) =>
    ask().then(
      (part: unknown) => [name, part] as const,
      (error: unknown) => [name, String(error)] as const,
    ),
  );
  const told = Object.fromEntries(await Promise.all(had));
  return JSON.stringify({ collected: new Date().toISOString(), ...told }, null, 1);
}

function Report({ client }: { readonly client: NodeClient }) {
  const [text, setText] = useState<string>();
  return (
    <Card title={say('send')}>
      <p>{say('sendAbout')}</p>
      <Button
        kind="main"
        onPress={async () => {
          setText(await collect(client));
          return say('collected');
        }}
      >
        {say('collect')}
      </Button>
      {text !== undefined && (
        <>
          <p>
            <a href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`} download="tillnode.txt">
              {say('download')}
            </a>
          </p>
          <pre translate={false}>{text}</pre>
        </>
      )}
    </Card>
  );
}

export default definePanel({
  id: ID,
  title: say('title'),
  order: 26,
  View,
  codeLink: (code) => (isKnown(code) ? { href: `#${addressOf(code)}`, words: say('todo') } : undefined),
});
