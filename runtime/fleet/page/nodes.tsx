/** The list: which nodes there are, and which of them something is wrong with. */
import { useEffect, useState } from 'preact/hooks';
import { Card, Table } from '../../page/kit/layout.tsx';
import { duration } from '../../page/kit/sentences.ts';
import type { NodeList } from '../nodes/contract.ts';
import type { Summary } from '../nodes/summary.ts';
import { type Address, linkTo, replaceBy } from './address.ts';
import { type Asked, useAsked } from './api.ts';
import { count, NodeLink, Pager, Shown, States, Text, When } from './pieces.tsx';
import { say } from './say.ts';

const PAGE = 50;
const LOOK_MS = 10_000;
const TYPED_MS = 150;
/** What may stand in the address of the list. */
const FILTERS = ['state', 'version', 'below', 'variant', 'search', 'after'] as const;

/** The list of nodes. */
export function NodesView({ address: { parameters } }: { address: Address }) {
  const filters = Object.fromEntries(
    FILTERS.flatMap((name) => (parameters[name] === undefined ? [] : [[name, parameters[name]]])),
  );
  const summary = useAsked<Summary>('summary', LOOK_MS);
  const list = useAsked<NodeList>(`nodes?${new URLSearchParams({ ...filters, limit: String(PAGE) })}`, LOOK_MS);
  return (
    <Card>
      <Filters filters={filters} summary={summary} />
      <Shown asked={list}>
        {({ nodes, total }) => (
          <>
            <p role="status">{say('fit', { n: count(total) })}</p>
            <Table
              caption={say('nodes')}
              head={[say('node'), say('condition'), say('lastSeen'), say('version'), say('variant'), say('heartbeats')]}
              rows={nodes.map((node) => ({
                key: node.id,
                cells: [
                  <NodeLink key="id" id={node.id} />,
                  <States key="states" states={node.states} />,
                  <When key="seen" at={node.lastSeen} />,
                  <Text key="version">{node.firmwareVersion}</Text>,
                  <Text key="variant">{node.variant}</Text>,
                  count(node.heartbeats),
                ],
              }))}
              empty={say('noneFit')}
            />
            <Pager
              view="nodes"
              parameters={filters}
              cursor="after"
              next={nodes.length === PAGE ? (nodes.at(-1)?.id ?? '') : ''}
            />
          </>
        )}
      </Shown>
    </Card>
  );
}

type Given = Readonly<Record<string, string>>;

function Filters({ filters, summary: { data } }: { filters: Given; summary: Asked<Summary> }) {
  const go = (change: Given) => {
    location.hash = linkTo('nodes', '', { ...filters, after: '', ...change });
  };
  const state = filters['state'] ?? '';
  const choices = [
    { state: '', nodes: data?.total, seconds: 0 },
    ...(data?.states ?? ['offline', 'no_paper', 'crash_loop', 'custody_hold'].map((each) => ({ state: each }))),
  ] as ReadonlyArray<{ state: string; nodes?: number; seconds?: number }>;
  return (
    <search class="filters">
      <fieldset class="choice">
        <legend class="unseen">{say('condition')}</legend>
        {choices.map(({ state: each, nodes, seconds = 0 }) => (
          <button key={each} type="button" aria-pressed={state === each} onClick={() => go({ state: each })}>
            {each === '' ? say('all') : nameOf(each, seconds)}
            {nodes !== undefined && <span class="quiet"> {count(nodes)}</span>}
          </button>
        ))}
      </fieldset>
      <Search value={filters['search'] ?? ''} filters={filters} />
      <Versions filters={filters} versions={data?.versions ?? []} go={go} />
    </search>
  );
}

/** With the time of its rule where there is one. */
function nameOf(state: string, seconds: number): string {
  const time = duration(seconds * 1000);
  if (seconds > 0 && state === 'offline') return say('offlineFor', { time });
  if (seconds > 0 && state === 'no_paper') return say('noPaperFor', { time });
  return say.find(`state_${state}`) ?? state;
}

function Search({ value, filters }: { value: string; filters: Given }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return undefined;
    const timer = setTimeout(() => replaceBy(linkTo('nodes', '', { ...filters, after: '', search: text })), TYPED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div class="field">
      <label for="search">{say('search')}</label>
      <input
        id="search"
        type="search"
        dir="auto"
        maxLength={64}
        value={text}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
    </div>
  );
}

interface VersionsProps {
  readonly filters: Given;
  readonly versions: Summary['versions'];
  readonly go: (change: Given) => void;
}

function Versions({ filters, versions, go }: VersionsProps) {
  // What is asked for stands there also where no node has it.
  const names = [...new Set([...versions.map(({ version }) => version), filters['version'] ?? ''])].filter(Boolean);
  const older = [...new Set([names[0] ?? '', filters['below'] ?? ''])].filter((name) => /^\d+\.\d+\.\d+/.test(name));
  const variants = [...new Set([...versions.map(({ variant }) => variant), filters['variant'] ?? ''])].filter(Boolean);
  const chosen = filters['below'] ? `<${filters['below']}` : (filters['version'] ?? '');
  return (
    <>
      <div class="field">
        <label for="version">{say('version')}</label>
        <select
          id="version"
          value={chosen}
          onChange={({ currentTarget: { value } }) =>
            go(value.startsWith('<') ? { version: '', below: value.slice(1) } : { version: value, below: '' })
          }
        >
          <option value="">{say('all')}</option>
          {older.map((name) => (
            <option key={`<${name}`} value={`<${name}`}>
              {say('olderThan', { version: name })}
            </option>
          ))}
          {names.map((name) => (
            <option key={name} value={name} translate={false}>
              {name}
            </option>
          ))}
        </select>
      </div>
      {variants.length > 1 && (
        <div class="field">
          <label for="variant">{say('variant')}</label>
          <select
            id="variant"
            value={filters['variant'] ?? ''}
            onChange={({ currentTarget: { value } }) => go({ variant: value })}
          >
            <option value="">{say('all')}</option>
            {variants.map((name) => (
              <option key={name} value={name} translate={false}>
                {name}
              </option>
            ))}
          </select>
        </div>
      )}
    </>
  );
}
