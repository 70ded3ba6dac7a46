/** Offers to set an API key on a node without one, until it is declined in this browser. */
import { useState } from 'preact/hooks';
import { Card, type PanelProps, speech } from '../../page/kit.ts';
import { KeyForm } from './panel-key.tsx';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

const DISMISSED = 'tillnode-key-offer';

/** A private window has no durable storage: there the offer is shown again. */
const remembered = (): boolean => {
  try {
    return localStorage.getItem(DISMISSED) !== null;
  } catch {
    return false;
  }
};
const remember = () => {
  try {
    localStorage.setItem(DISMISSED, 'no');
  } catch {}
};

/** The offer; nothing if the node has a key or the offer was declined. */
export function KeyOffer({ node }: PanelProps) {
  const [dismissed, setDismissed] = useState(remembered);
  const [open, setOpen] = useState(false);
  const [saved, setSaved] = useState(false);
  if (dismissed || !(saved || (node.maySave && node.config?.['apiKeySet'] === false))) return null;
  return (
    <Card urgent title={saved ? say('theKey') : say('noKeyYet')}>
      {!saved && <p>{say('offer')}</p>}
      {open && <KeyForm node={node} onSaved={() => setSaved(true)} />}
      <div class="row">
        {!open && (
          <button type="button" class="main" onClick={() => setOpen(true)}>
            {say('setAKey')}
          </button>
        )}
        <button
          type="button"
          onClick={() => {
            remember();
            setDismissed(true);
          }}
        >
          {saved ? say('done') : say('notNow')}
        </button>
      </div>
    </Card>
  );
}
