/** Rollouts: what goes where, how it goes, and a stop. */
import { useRef, useState } from 'preact/hooks';
import { Button, Form } from '../../page/kit/action.tsx';
import { Badge, type Tone } from '../../page/kit/badge.tsx';
import { SelectField, TextField } from '../../page/kit/fields.tsx';
import { Card, Facts, Table } from '../../page/kit/layout.tsx';
import type { Release } from '../firmware/contract.ts';
import { MEMBER_STATES, type Rollout } from '../rollouts/contract.ts';
import { type Address, linkTo } from './address.ts';
import { ask, useAsked } from './api.ts';
import { count, fullTime, NodeLink, Pager, Shown, Text } from './pieces.tsx';
import { say } from './say.ts';

const LOOK_MS = 5000;
const PAGE = 100;
/** One node, then a hundredth, then a tenth, then all. */
const GROUPS = '1, 1%, 10%, 100%';

/** All rollouts, and where one begins. */
export function RolloutsView() {
  const rollouts = useAsked<{ readonly rollouts: readonly Rollout[] }>('rollouts', LOOK_MS);
  const releases = useAsked<{ readonly releases: readonly Release[] }>('releases');
  return (
    <>
      <Shown asked={rollouts}>
        {(data) =>
          data.rollouts.length === 0 ? (
            <p class="quiet">{say('noRollouts')}</p>
          ) : (
            data.rollouts.map((rollout) => <RolloutCard key={rollout.id} rollout={rollout} reload={rollouts.reload} />)
          )
        }
      </Shown>
      <Shown asked={releases}>
        {(data) => (
          <>
            <Begin releases={data.releases} reload={rollouts.reload} />
            <Releases releases={data.releases} reload={releases.reload} />
          </>
        )}
      </Shown>
    </>
  );
}

const TONES: Readonly<Record<string, Tone>> = { running: 'good', done: 'plain', halted: 'bad', stopped: 'warn' };

type One = { readonly rollout: Rollout; readonly reload: () => Promise<void> };

const titleOf = ({ variant, version }: Rollout) => `${variant} ${version}`;

function RolloutCard({ rollout, reload }: One) {
  const { id, state, groups, openGroup, plan } = rollout;
  const sum = (of: 'size' | 'healthy' | 'failed') => groups.reduce((total, group) => total + group[of], 0);
  const change = (what: 'stop' | 'resume') => async () => {
    await ask('POST', `rollouts/${id}/${what}`);
    await reload();
    return undefined;
  };
  return (
    <Card title={titleOf(rollout)}>
      <p class="state" role="status">
        <Badge tone={TONES[state]}>{say.find(`rollout_${state}`) ?? state}</Badge>
      </p>
      {rollout.reason !== null && (
        <p dir="auto" translate={false}>
          {rollout.reason}
        </p>
      )}
      <label class="progress">
        {say('healthyOf', { n: count(sum('healthy')), total: count(sum('size')) })}
        <progress value={sum('healthy')} max={Math.max(1, sum('size'))} />
      </label>
      <Facts
        rows={[
          [say('started'), say('byAt', { who: rollout.startedBy, time: fullTime(rollout.startedAt) })],
          [
            say('ended'),
            rollout.endedAt === null
              ? undefined
              : say('byAt', { who: rollout.endedBy ?? '–', time: fullTime(rollout.endedAt) }),
          ],
          [say('thresholds'), say('thresholdsAre', { healthy: plan.healthyPercent, error: plan.errorPercent })],
        ]}
      />
      <div class="numbers">
        <Table
          caption={say('groups')}
          head={[say('group'), say('nodes'), ...MEMBER_STATES.map((each) => say(`member_${each}`))]}
          rows={groups.map((group, at) => ({
            key: at,
            cells: [
              at > openGroup ? say('groupWaits', { group: plan.groups[at] ?? at + 1 }) : (plan.groups[at] ?? at + 1),
              count(group.size),
              ...MEMBER_STATES.map((each) => count(group[each])),
            ],
          }))}
          empty={say('none')}
        />
      </div>
      <p class="row">
        <a href={linkTo('rollout', String(id), { state: 'failed' })}>
          {say('failedNodes')}
          <span class="unseen"> {titleOf(rollout)}</span>
        </a>
        <a href={linkTo('rollout', String(id))}>
          {say('allNodes')}
          <span class="unseen"> {titleOf(rollout)}</span>
        </a>
      </p>
      {state === 'running' && (
        <Button kind="danger" confirm={say('reallyStop', { title: titleOf(rollout) })} onPress={change('stop')}>
          {say('stop')}
        </Button>
      )}
      {(state === 'halted' || state === 'stopped') && (
        <Button confirm={say('reallyResume', { title: titleOf(rollout) })} onPress={change('resume')}>
          {say('resume')}
        </Button>
      )}
    </Card>
  );
}

type Choice = { readonly releases: readonly Release[]; readonly reload: () => Promise<void> };

function Begin({ releases, reload }: Choice) {
  const [chosen, setChosen] = useState('');
  const [groups, setGroups] = useState(GROUPS);
  const [error, setError] = useState('1');
  if (releases.length === 0) return null;
  const keyOf = ({ variant, version }: Release) => `${variant} ${version}`;
  const release = releases.find((each) => keyOf(each) === chosen) ?? releases[0];
  const begin = async () => {
    await ask('POST', 'rollouts', {
      body: {
        variant: release?.variant,
        version: release?.version,
        groups: groups.split(',').map((each) => each.trim()),
        errorPercent: Number(error),
      },
    });
    await reload();
    return say('begun');
  };
  return (
    <Card title={say('beginRollout')}>
      <Form submit={say('begin')} onSubmit={begin}>
        <SelectField
          label={say('release')}
          value={release === undefined ? '' : keyOf(release)}
          options={releases.map((each) => [keyOf(each), keyOf(each)])}
          onValue={setChosen}
        />
        <TextField label={say('groups')} hint={say('groupsHint')} value={groups} required onValue={setGroups} />
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
    </Card>
  );
}

function Releases({ releases, reload }: Choice) {
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
      <Form submit={say('upload')} onSubmit={upload}>
        <div class="field">
          <label for="image">{say('imageFile')}</label>
          <input id="image" ref={file} type="file" accept=".img" required />
        </div>
      </Form>
    </Card>
  );
}

interface Members {
  readonly nodes: ReadonlyArray<{
    readonly node: string;
    readonly group: number;
    readonly state: string;
    readonly reason: string | null;
    readonly endedAt: string | null;
  }>;
}

/** The nodes of one rollout. */
export function RolloutView({ address: { subject, parameters } }: { address: Address }) {
  const { state = '', after = '' } = parameters;
  const query = new URLSearchParams({ limit: String(PAGE), ...(state && { state }), ...(after && { after }) });
  const rollout = useAsked<Rollout>(`rollouts/${encodeURIComponent(subject)}`, LOOK_MS);
  const members = useAsked<Members>(`rollouts/${encodeURIComponent(subject)}/nodes?${query}`, LOOK_MS);
  return (
    <>
      <Shown asked={rollout}>{(data) => <RolloutCard rollout={data} reload={rollout.reload} />}</Shown>
      <Card title={say('nodes')}>
        <SelectField
          label={say('condition')}
          value={state}
          options={[['', say('all')], ...MEMBER_STATES.map((each) => [each, say(`member_${each}`)] as const)]}
          onValue={(value) => {
            location.hash = linkTo('rollout', subject, { state: value });
          }}
        />
        <Shown asked={members}>
          {({ nodes }) => (
            <>
              <Table
                caption={say('nodes')}
                head={[say('node'), say('group'), say('condition'), say('reason'), say('ended')]}
                rows={nodes.map((each) => ({
                  key: each.node,
                  cells: [
                    <NodeLink key="id" id={each.node} />,
                    each.group + 1,
                    say.find(`member_${each.state}`) ?? each.state,
                    <Text key="reason">{each.reason ?? ''}</Text>,
                    each.endedAt === null ? '' : fullTime(each.endedAt),
                  ],
                }))}
                empty={say('noneFit')}
              />
              <Pager
                view="rollout"
                subject={subject}
                parameters={parameters}
                cursor="after"
                next={nodes.length === PAGE ? (nodes.at(-1)?.node ?? '') : ''}
              />
            </>
          )}
        </Shown>
      </Card>
    </>
  );
}
