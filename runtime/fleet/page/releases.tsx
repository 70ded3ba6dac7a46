/** Releases, and the rollout that begins with one. */
import { useContext, useRef, useState } from 'preact/hooks';
import { Form } from '../../page/kit/action.tsx';
import { CheckField, SelectField, TextArea, TextField } from '../../page/kit/fields.tsx';
import { Card, Table } from '../../page/kit/layout.tsx';
import type { Release } from '../firmware/contract.ts';
import type { SettingsView } from '../settings/contract.ts';
import { Allowed, isEnough, OwnRole } from './allowed.tsx';
import { ask, useAsked } from './api.ts';
import { count, fullTime, Text } from './pieces.tsx';
import { say } from './say.ts';

/** One node, then a hundredth, then a tenth, then all. */
const GROUPS = '1\n1%\n10%\n100%';

type Choice = { readonly releases: readonly Release[]; readonly reload: () => Promise<void> };

/** Where a rollout begins. */
export function Begin({ releases, reload }: Choice) {
  const [chosen, setChosen] = useState('');
  const [groups, setGroups] = useState(GROUPS);
  const [error, setError] = useState('1');
  const [bySite, setBySite] = useState(false);
  const [window, setWindow] = useState('');
  if (releases.length === 0) return null;
  const keyOf = ({ variant, version }: Release) => `${variant} ${version}`;
  const release = releases.find((each) => keyOf(each) === chosen) ?? releases[0];
  const begin = async () => {
    await ask('POST', 'rollouts', {
      body: {
        variant: release?.variant,
        version: release?.version,
        groups: groups.split('\n').flatMap((each) => each.trim() || []),
        errorPercent: Number(error),
        bySite,
        window: window.trim(),
      },
    });
    await reload();
    return say('begun');
  };
  return (
    <Card title={say('beginRollout')}>
      <Allowed takes="releaser">
        <Form submit={say('begin')} onSubmit={begin}>
          <SelectField
            label={say('release')}
            value={release === undefined ? '' : keyOf(release)}
            options={releases.map((each) => [keyOf(each), keyOf(each)])}
            onValue={setChosen}
          />
          <TextArea
            label={say('groups')}
            hint={say('groupsHint')}
            rows={4}
            value={groups}
            required
            onValue={setGroups}
          />
          <CheckField label={say('bySite')} value={bySite} onValue={setBySite} />
          <TextField
            label={say('window')}
            hint={say('windowHint')}
            maxLength={200}
            value={window}
            onValue={setWindow}
          />
          <TextField
            label={say('errorPercent')}
            type="number"
            min={0}
            max={100}
            step="any"
            required
            value={error}
            onValue={setError}
          />
        </Form>
      </Allowed>
    </Card>
  );
}

/** The images, and where one is uploaded. */
export function Releases({ releases, reload }: Choice) {
  const mayUpload = isEnough(useContext(OwnRole), 'releaser');
  const file = useRef<HTMLInputElement>(null);
  const upload = async () => {
    const [image] = file.current?.files ?? [];
    if (image === undefined) throw new Error(say('chooseFile'));
    const { variant, version } = await ask<Release>('POST', 'releases', { body: image });
    await reload();
    return say('uploaded', { title: `${variant} ${version}` });
  };
  return (
    <Card title={say('releases')}>
      <Table
        caption={say('releases')}
        head={[say('variant'), say('version'), say('bytes'), say('digest'), say('uploadedBy')]}
        rows={releases.map((each) => ({
          key: `${each.variant} ${each.version}`,
          cells: [
            <Text key="variant">{each.variant}</Text>,
            <Text key="version">{each.version}</Text>,
            count(each.length),
            <code key="digest" title={each.sha256}>
              {each.sha256.slice(0, 12)}
            </code>,
            say('byAt', { who: each.who, time: fullTime(each.at) }),
          ],
        }))}
        empty={say('noReleases')}
      />
      {mayUpload && <KeyFirst />}
      <Allowed takes="releaser">
        <Form submit={say('upload')} onSubmit={upload}>
          <div class="field">
            <label for="image">{say('imageFile')}</label>
            <input id="image" ref={file} type="file" accept=".img" required />
          </div>
        </Form>
      </Allowed>
    </Card>
  );
}

/** Says so before many megabytes are sent, where none would be taken. */
function KeyFirst() {
  const { data } = useAsked<SettingsView>('settings');
  return data?.firmware.keys.length === 0 ? <p class="warn">{say('keyFirst')}</p> : null;
}
