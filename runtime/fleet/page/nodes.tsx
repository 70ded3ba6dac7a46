/** The list: which nodes there are, and which of them something is wrong with. */
import { SelectField } from '../../page/kit/fields.tsx';
import { Card } from '../../page/kit/layout.tsx';
import { duration } from '../../page/kit/sentences.ts';
import type { NodeList } from '../nodes/contract.ts';
import type { Summary } from '../nodes/summary.ts';
import { type Address, linkTo } from './address.ts';
import { type Asked, useAsked } from './api.ts';
import { FilterField } from './filter.tsx';
import { count, NodeLink, SiteLink, States, Text, When } from './pieces.tsx';
import { say } from './say.ts';
import { Scroll } from './scroll.tsx';
import { valueIn, withValue } from './terms.ts';

const LOOK_MS = 10_000;
/** The list of nodes. */
export function NodesView({ address: { parameters } }: { address: Address }) {
  const { filter = '' } = parameters;
  const summary = useAsked<Summary>('summary', LOOK_MS);
  return (
    <Card>
      <Filters filter={filter} summary={summary} />
      <Scroll<NodeList, NodeList['nodes'][number]>
        caption={say('nodes')}
        head={[say('node'), say('name'), say('site'), say('condition'), say('lastSeen'), say('version')]}
        path="nodes"
        query={{ filter }}
        pageOf={({ nodes, total }) => ({ rows: nodes, total })}
        keyOf={({ id }) => id}
        cellsOf={(node) => [
          <NodeLink key="id" id={node.id} />,
          <Text key="name">{node.name}</Text>,
          node.site === null ? '' : <SiteLink key="site" site={node.site} />,
          <States key="states" states={node.states} />,
          <When key="seen" at={node.lastSeen} />,
          <Text key="version">{`${node.firmwareVersion} ${node.variant}`}</Text>,
        ]}
        told={(total) => say('fit', { n: count(total) })}
        empty={say('noneFit')}
      />
    </Card>
  );
}

interface FiltersProps {
  readonly filter: string;
  readonly summary: Asked<Summary>;
}

function Filters({ filter, summary: { data } }: FiltersProps) {
  const go = (key: string, value: string) => {
    location.hash = linkTo('nodes', '', { filter: withValue(filter, key, value) });
  };
  const state = valueIn(filter, 'state');
  const choices = [
    { state: '', nodes: data?.total, seconds: 0 },
    ...(data?.states ?? ['offline', 'no_paper', 'crash_loop', 'custody_hold'].map((each) => ({ state: each }))),
  ] as ReadonlyArray<{ state: string; nodes?: number; seconds?: number }>;
  return (
    <search class="filters">
      <fieldset class="choice">
        <legend class="unseen">{say('condition')}</legend>
        {choices.map(({ state: each, nodes, seconds = 0 }) => (
          <button key={each} type="button" aria-pressed={state === each} onClick={() => go('state', each)}>
            {each === '' ? say('all') : nameOf(each, seconds)}
            {nodes !== undefined && <span class="quiet"> {count(nodes)}</span>}
          </button>
        ))}
      </fieldset>
      <FilterField filter={filter} view="nodes" />
      <Versions filter={filter} versions={data?.versions ?? []} go={go} />
    </search>
  );
}

/** Name of a state, with the time of its rule where there is one. */
function nameOf(state: string, seconds: number): string {
  const time = duration(seconds * 1000);
  if (seconds > 0 && state === 'offline') return say('offlineFor', { time });
  if (seconds > 0 && state === 'no_paper') return say('noPaperFor', { time });
  return say.find(`state_${state}`) ?? state;
}

interface VersionsProps {
  readonly filter: string;
  readonly versions: Summary['versions'];
  readonly go: (key: string, value: string) => void;
}

function Versions({ filter, versions, go }: VersionsProps) {
  const chosen = valueIn(filter, 'version');
  const variant = valueIn(filter, 'variant');
  // What is asked for stands there also where no node has it.
  const exact = chosen.startsWith('<') ? '' : chosen;
  const names = [...new Set([...versions.map(({ version }) => version), exact])].filter(Boolean);
  const older = [...new Set([`<${names[0] ?? ''}`, chosen])].filter((name) => /^<\d+\.\d+\.\d+/.test(name));
  const variants = [...new Set([...versions.map((each) => each.variant), variant])].filter(Boolean);
  return (
    <>
      <SelectField
        label={say('version')}
        value={chosen}
        options={[
          ['', say('all')],
          ...older.map((name) => [name, say('olderThan', { version: name.slice(1) })] as const),
          ...names.map((name) => [name, name] as const),
        ]}
        onValue={(value) => go('version', value)}
      />
      {variants.length > 1 && (
        <SelectField
          label={say('variant')}
          value={variant}
          options={[['', say('all')], ...variants.map((name) => [name, name] as const)]}
          onValue={(value) => go('variant', value)}
        />
      )}
    </>
  );
}
