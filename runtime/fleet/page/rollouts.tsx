/** Rollouts: what goes where, how it goes, and a stop. */
import { Button } from '../../page/kit/action.tsx';
import { Badge, type Tone } from '../../page/kit/badge.tsx';
import { SelectField } from '../../page/kit/fields.tsx';
import { Card, Facts, Table } from '../../page/kit/layout.tsx';
import type { ReleaseList } from '../firmware/contract.ts';
import { outOf } from '../nodes/gone.ts';
import { MEMBER_STATES, type Rollout } from '../rollouts/contract.ts';
import { type Address, linkTo } from './address.ts';
import { Allowed } from './allowed.tsx';
import { ask, useAsked } from './api.ts';
import { count, fullTime, NodeLink, Shown, Text } from './pieces.tsx';
import { Begin, Releases } from './releases.tsx';
import { say, wordOf } from './say.ts';
import { Scroll } from './scroll.tsx';
import { Waves } from './waves.tsx';

const LOOK_MS = 5000;

/** All rollouts, and where one begins. */
export function RolloutsView() {
  const rollouts = useAsked<{ readonly rollouts: readonly Rollout[] }>('rollouts', LOOK_MS);
  const releases = useAsked<ReleaseList>('releases');
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
            <Releases {...data} reload={releases.reload} />
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
  const sum = (of: 'size' | 'healthy' | 'failed' | 'excused' | 'silent') =>
    groups.reduce((total, group) => total + group[of], 0);
  // Until one is healthy no group begins after those that have.
  const begun = groups.slice(0, openGroup + 1);
  const isRun = sum('healthy') > 0 || sum('size') === 0;
  const mayRun = isRun || begun.some(({ waiting, offered, taken }) => waiting + offered + taken > 0);
  const change = (what: 'stop' | 'resume' | 'skip' | 'retry') => async () => {
    const bodies = { skip: { body: { openGroup } }, retry: { body: {} }, stop: {}, resume: {} };
    await ask('POST', `rollouts/${id}/${what}`, bodies[what]);
    await reload();
    return undefined;
  };
  return (
    <Card title={titleOf(rollout)}>
      <p class="state" role="status">
        <Badge tone={TONES[state]}>{say.find(`rollout_${state}`) ?? state}</Badge>
      </p>
      <Why rollout={rollout} />
      {!mayRun && state !== 'done' && <p>{say('nobodyRuns')}</p>}
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
          [
            say('window'),
            plan.window === 'closed' ? (
              say('windowClosed')
            ) : (
              <span key="window" translate={false}>
                {plan.window}
              </span>
            ),
          ],
          [say('thresholds'), say('thresholdsAre', { healthy: plan.healthyPercent, error: plan.errorPercent })],
        ]}
      />
      <Waves groups={groups} names={plan.groups} />
      <div class="numbers">
        <Table
          caption={say('groups')}
          head={[say('group'), say('nodes'), ...MEMBER_STATES.map((each) => say(`member_${each}`)), say('silent')]}
          rows={groups.map((group, at) => ({
            key: at,
            cells: [
              at > openGroup ? say('groupWaits', { group: plan.groups[at] ?? at + 1 }) : (plan.groups[at] ?? at + 1),
              count(group.size),
              ...MEMBER_STATES.map((each) => count(group[each])),
              count(group.silent),
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
        {sum('silent') > 0 && (
          <a href={linkTo('rollout', String(id), { asked: 'never' })}>
            {say('silentNodes')}
            <span class="unseen"> {titleOf(rollout)}</span>
          </a>
        )}
        <a href={linkTo('rollout', String(id))}>
          {say('allNodes')}
          <span class="unseen"> {titleOf(rollout)}</span>
        </a>
      </p>
      <Allowed takes="releaser">
        {state === 'running' && (
          <Button kind="danger" confirm={say('reallyStop', { title: titleOf(rollout) })} onPress={change('stop')}>
            {say('stop')}
          </Button>
        )}
        {(state === 'halted' || state === 'stopped') && mayRun && (
          <Button confirm={say('reallyResume', { title: titleOf(rollout) })} onPress={change('resume')}>
            {say('resume')}
          </Button>
        )}
        {state === 'running' && openGroup + 1 < groups.length && isRun && (
          <Button confirm={say('reallySkip', { title: titleOf(rollout) })} onPress={change('skip')}>
            {say('skipGroup')}
          </Button>
        )}
        {sum('failed') + sum('excused') > 0 && <Button onPress={change('retry')}>{say('retryAll')}</Button>}
      </Allowed>
    </Card>
  );
}

/** Why it halted or is stuck; what a release before this one wrote down is there in English alone. */
function Why({ rollout: { cause, reason } }: { readonly rollout: Rollout }) {
  if (reason === null) return null;
  if (cause === null) return <Text>{reason}</Text>;
  const { group, failed, size, held } = cause;
  if (held.length === 0)
    return <p>{say('cause_failed', { group: group + 1, failed: count(failed), size: count(size) })}</p>;
  return (
    <>
      <p>{say('cause_stuck', { group: group + 1 })}</p>
      <ul>
        {held.map(({ what, nodes, some }) => (
          <li key={what}>
            {say(`held_${what}`)}: {count(nodes)} (
            {some.map((id, at) => (
              <span key={id}>
                {at > 0 && ', '}
                <NodeLink id={id} />
              </span>
            ))}
            {nodes > some.length && ', …'})
          </li>
        ))}
      </ul>
    </>
  );
}

/** Why a node is out of it. */
function outWords(reason: string): string {
  const { code, by } = outOf(reason);
  return code === 'replaced' ? say('out_replaced', { by }) : (say.find(`out_${code}`) ?? wordOf(code));
}

interface Members {
  readonly nodes: readonly Member[];
  readonly total: number;
}
interface Member {
  readonly node: string;
  readonly group: number;
  readonly state: string;
  readonly reason: string | null;
  readonly endedAt: string | null;
}

const AGAIN = ['failed', 'excused', 'skipped'];
const OUT = ['waiting', 'offered', 'failed', 'excused'];
interface FurtherProps {
  readonly member: Member;
  readonly change: (what: 'skip' | 'retry', node: string) => () => Promise<undefined>;
}

/** What may be done with one node. */
const Further = ({ member: { node, state }, change }: FurtherProps) => (
  <Allowed takes="releaser">
    {AGAIN.includes(state) && (
      <Button onPress={change('retry', node)}>
        {say('retry')}
        <span class="unseen"> {node}</span>
      </Button>
    )}
    {OUT.includes(state) && (
      <Button onPress={change('skip', node)}>
        {say('takeOut')}
        <span class="unseen"> {node}</span>
      </Button>
    )}
  </Allowed>
);

/** The nodes of one rollout. */
export function RolloutView({ address: { subject, parameters } }: { address: Address }) {
  const { state = '', asked = '' } = parameters;
  const rollout = useAsked<Rollout>(`rollouts/${encodeURIComponent(subject)}`, LOOK_MS);
  const change = (reload: () => Promise<void>) => (what: 'skip' | 'retry', node: string) => async () => {
    await ask('POST', `rollouts/${encodeURIComponent(subject)}/${what}`, { body: { node } });
    await Promise.all([rollout.reload(), reload()]);
    return undefined;
  };
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
        <Scroll<Members, Member>
          caption={say('nodes')}
          head={[say('node'), say('group'), say('condition'), say('reason'), say('ended')]}
          path={`rollouts/${encodeURIComponent(subject)}/nodes`}
          query={{ state, asked }}
          pageOf={({ nodes, total }) => ({ rows: nodes, total })}
          keyOf={({ node }) => node}
          cellsOf={(member, reload) => [
            <NodeLink key="id" id={member.node} />,
            member.group + 1,
            <span key="state">
              {say.find(`member_${member.state}`) ?? member.state} <Further member={member} change={change(reload)} />
            </span>,
            <Text key="reason">{outWords(member.reason ?? '')}</Text>,
            member.endedAt === null ? '' : fullTime(member.endedAt),
          ]}
          told={(total) => say('fit', { n: count(total) })}
          empty={say('noneFit')}
        />
      </Card>
    </>
  );
}
