/** What operators set of a node: name, site, tags and notes; that another takes its place, or none; its token. */
import { useState } from 'preact/hooks';
import { Button, Form } from '../../page/kit/action.tsx';
import { TextArea, TextField } from '../../page/kit/fields.tsx';
import { Card } from '../../page/kit/layout.tsx';
import type { NodeDetail } from '../nodes/contract.ts';
import { linkTo } from './address.ts';
import { Allowed } from './allowed.tsx';
import { ask, now } from './api.ts';
import { fullTime } from './pieces.tsx';
import { say } from './say.ts';

const WEEK_MS = 7 * 24 * 3_600_000;

interface PlaceProps {
  readonly node: NodeDetail;
  readonly reload: () => Promise<void>;
}

/** A form for name, site, tags and notes; below it, a week without alerts. */
export function Place({ node, reload }: PlaceProps) {
  // The name that it was given, and not what it calls itself.
  const [name, setName] = useState(node.name === node.saidName ? '' : node.name);
  const [site, setSite] = useState(node.site ?? '');
  const [tags, setTags] = useState(node.tags.join(' '));
  const [notes, setNotes] = useState(node.notes);
  const path = `nodes/${encodeURIComponent(node.id)}`;
  const save = async () => {
    const given = (text: string) => text.trim() || null;
    const body = { name: given(name), site: given(site), tags: tags.split(/\s+/).filter(Boolean), notes };
    await ask('PUT', path, { body });
    await reload();
    return say('saved');
  };
  const mute = (until: string | null) => async () => {
    await ask('PUT', path, { body: { mutedUntil: until } });
    await reload();
    return undefined;
  };
  const isMuted = node.mutedUntil !== null && Date.parse(node.mutedUntil) > now();
  return (
    <Card title={say('place')}>
      <Allowed takes="operator">
        <Form submit={say('save')} onSubmit={save}>
          <TextField
            label={say('name')}
            hint={say('nameHint', { name: node.saidName || '–' })}
            maxLength={64}
            value={name}
            onValue={setName}
          />
          <TextField label={say('site')} maxLength={64} value={site} onValue={setSite} />
          <TextField label={say('tags')} hint={say('tagsHint')} value={tags} onValue={setTags} />
          <TextArea label={say('notes')} rows={2} maxLength={500} value={notes} onValue={setNotes} />
        </Form>
        {isMuted && <p>{say('muted', { time: fullTime(node.mutedUntil ?? '') })}</p>}
        <Button onPress={mute(isMuted ? null : new Date(now() + WEEK_MS).toISOString())}>
          {isMuted ? say('unmute') : say('mute')}
        </Button>
      </Allowed>
    </Card>
  );
}

/** A new box in place of this one, or none; and another token for it. */
export function Leave({ node: { id } }: { node: NodeDetail }) {
  const [by, setBy] = useState('');
  const path = `nodes/${encodeURIComponent(id)}`;
  const replace = async () => {
    await ask('POST', `${path}/replace`, { body: { by: by.trim() } });
    location.hash = linkTo('node', by.trim());
    return undefined;
  };
  const renew = async () => say('tokenOnce', { token: (await ask<{ token: string }>('POST', `${path}/token`)).token });
  const forget = async () => {
    await ask('DELETE', path);
    location.hash = linkTo('nodes');
    return undefined;
  };
  return (
    <>
      <Card title={say('replace')}>
        <Allowed takes="operator">
          <Form submit={say('replace')} onSubmit={replace}>
            <TextField
              label={say('newBox')}
              hint={say('newBoxHint')}
              required
              maxLength={64}
              value={by}
              onValue={setBy}
            />
          </Form>
          <Button kind="danger" confirm={say('reallyForget', { id })} onPress={forget}>
            {say('forget')}
          </Button>
        </Allowed>
      </Card>
      <Card title={say('nodeToken')}>
        <Allowed takes="owner">
          <Button confirm={say('reallyRenew', { id })} onPress={renew}>
            {say('renewToken')}
          </Button>
        </Allowed>
      </Card>
    </>
  );
}
