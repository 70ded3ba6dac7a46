/** First run: a node without a key offers to get one, until somebody says no in this browser. */
import { useState } from 'preact/hooks';
import { Card, type PanelProps } from '../../exports/panel.ts';
import { KeyForm } from './panel-key.tsx';

const DISMISSED = 'tillnode-key-offer';

/** Private windows have no storage to speak of: the offer is then made again. */
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

export function KeyOffer({ node }: PanelProps) {
  const [dismissed, setDismissed] = useState(remembered);
  const [open, setOpen] = useState(false);
  const [saved, setSaved] = useState(false);
  if (dismissed || !(saved || (node.maySave && node.config?.['apiKeySet'] === false))) return null;
  return (
    <Card urgent title={saved ? 'The API key' : 'This node has no API key yet'}>
      {!saved && (
        <p>
          Everybody in this network may print, open the drawer and change settings. With a key you can raise the API
          mode under “Access”: programs then need the key, and this page can only read.
        </p>
      )}
      {open && <KeyForm node={node} onSaved={() => setSaved(true)} />}
      <div class="row">
        {!open && (
          <button type="button" class="main" onClick={() => setOpen(true)}>
            Set a key…
          </button>
        )}
        <button
          type="button"
          onClick={() => {
            remember();
            setDismissed(true);
          }}
        >
          {saved ? 'Done' : 'Not now'}
        </button>
      </div>
    </Card>
  );
}
