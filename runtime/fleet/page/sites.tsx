/** Sites: all at a glance, and one with its hours. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, Form } from '../../page/kit/action.tsx';
import { Badge, type Tone } from '../../page/kit/badge.tsx';
import { TextArea, TextField } from '../../page/kit/fields.tsx';
import { Card } from '../../page/kit/layout.tsx';
import type { Site, SiteList } from '../sites/contract.ts';
import { type Address, linkTo, replaceBy } from './address.ts';
import { Allowed } from './allowed.tsx';
import { ask, useAsked } from './api.ts';
import { FilterField } from './filter.tsx';
import { count, Pager, Shown, SiteLink } from './pieces.tsx';
import { say } from './say.ts';
import { Scroll } from './scroll.tsx';
import { withValue } from './terms.ts';

const LOOK_MS = 10_000;
/** At a glance. */
const PAGE = 1000;

const of = ({ states }: Site, state: string): number => Number(states[state] ?? 0);
/** Closed shops are not heard, which is nothing wrong with them. */
function toneOf(site: Site): Tone {
  const isBad = of(site, 'no_paper') + of(site, 'crash_loop') > 0 || (site.open && of(site, 'offline') > 0);
  if (isBad) return 'bad';
  if (of(site, 'custody_hold') > 0) return 'warn';
  return site.open && site.nodes > 0 ? 'good' : 'plain';
}
const STATES = ['offline', 'no_paper', 'crash_loop', 'custody_hold'] as const;
const wordsOf = (site: Site): string => {
  const wrong = STATES.filter((state) => of(site, state) > 0).map(
    (state) => `${say.find(`state_${state}`) ?? state} ${count(of(site, state))}`,
  );
  const told = [...(site.open ? [] : [say('closed')]), ...wrong];
  return told.length === 0 ? say('fine') : told.join(', ');
};

/** Every site is a sign, in the order of their names; the numbers are in the table below it. */
export function SitesView({ address: { parameters } }: { address: Address }) {
  const { filter = '', after = '' } = parameters;
  const [size, setSize] = useState(16);
  const [isTable, setTable] = useState(false);
  const query = new URLSearchParams({ filter, after, limit: String(PAGE) });
  const asked = useAsked<SiteList>(`sites?${query}`, LOOK_MS);
  return (
    <Card>
      <search class="filters">
        <FilterField view="sites" filter={filter} />
        <div class="field">
          <label for="zoom">{say('zoom')}</label>
          <input
            id="zoom"
            type="range"
            min={6}
            max={48}
            value={size}
            onInput={({ currentTarget }) => setSize(currentTarget.valueAsNumber)}
          />
        </div>
      </search>
      <Shown asked={asked}>
        {({ sites, total }) => (
          <>
            <p role="status">{say('sitesFit', { n: count(total) })}</p>
            <Grid sites={sites} size={size} />
            <Pager
              view="sites"
              parameters={parameters}
              cursor="after"
              next={sites.length === PAGE ? (sites.at(-1)?.name ?? '') : ''}
            />
          </>
        )}
      </Shown>
      <details onToggle={({ currentTarget }) => setTable(currentTarget.open)}>
        <summary>{say('asTable')}</summary>
        {isTable && <SiteTable filter={filter} />}
      </details>
    </Card>
  );
}

/** For a pointer, and hidden from screen readers: they, and who uses the keyboard, have the table. */
function Grid({ sites, size }: { sites: readonly Site[]; size: number }) {
  const grid = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const go = ({ target }: Event) => {
      const site = (target as Element).closest('[data-site]')?.getAttribute('data-site');
      if (site != null) location.hash = linkTo('site', site);
    };
    grid.current?.addEventListener('click', go);
    return () => grid.current?.removeEventListener('click', go);
  }, []);
  return (
    <div class="grid" ref={grid} aria-hidden="true">
      {sites.map((site) => (
        <Sign key={site.name} site={site} size={size} />
      ))}
    </div>
  );
}

/** A form for each tone, so that nobody needs colours. */
const SIGNS: Readonly<Record<Tone, string>> = {
  bad: 'M1 1h8v8h-8z',
  warn: 'M5 1.5l4 7h-8z',
  good: 'M3 5a2 2 0 1 0 4 0a2 2 0 1 0 -4 0z',
  plain: 'M3.5 4.5h3v1h-3z',
};
function Sign({ site, size }: { site: Site; size: number }) {
  const tone = toneOf(site);
  return (
    <svg data-site={site.name} width={size} height={size} viewBox="0 0 10 10">
      <title>{`${site.name}: ${wordsOf(site)}`}</title>
      <rect width={10} height={10} fill="transparent" />
      <path class={tone} d={SIGNS[tone]} />
    </svg>
  );
}

/** All of them, not those of the signs alone. */
const SiteTable = ({ filter }: { filter: string }) => (
  <Scroll<SiteList, Site>
    caption={say('sites')}
    head={[say('site'), say('nodes'), say('condition'), say('hours')]}
    path="sites"
    query={{ filter }}
    pageOf={({ sites, total }) => ({ rows: sites, total })}
    keyOf={({ name }) => name}
    cellsOf={(site) => [
      <SiteLink key="site" site={site.name} />,
      count(site.nodes),
      <Badge key="state" tone={toneOf(site)}>
        {wordsOf(site)}
      </Badge>,
      <span key="hours" translate={false}>
        {site.hours}
      </span>,
    ]}
    told={(total) => say('sitesFit', { n: count(total) })}
    empty={say('noSites')}
  />
);

/** One site. */
export function SiteView({ address: { subject } }: { address: Address }) {
  const asked = useAsked<Site>(`sites/${encodeURIComponent(subject)}`, LOOK_MS);
  return <Shown asked={asked}>{(site) => <Hours key={site.name} site={site} reload={asked.reload} />}</Shown>;
}

function Hours({ site, reload }: { site: Site; reload: () => Promise<void> }) {
  const [name, setName] = useState(site.name);
  const [hours, setHours] = useState(site.hours);
  const [zone, setZone] = useState(site.zone);
  const [notes, setNotes] = useState(site.notes);
  const path = `sites/${encodeURIComponent(site.name)}`;
  const save = async () => {
    const renamed = name.trim();
    await ask('PUT', path, {
      body: { hours: hours.trim(), zone: zone.trim(), notes, ...(renamed !== site.name && { name: renamed }) },
    });
    // Under its old name it is no more.
    if (renamed === site.name) await reload();
    else replaceBy(linkTo('site', renamed));
    return say('saved');
  };
  const remove = async () => {
    await ask('DELETE', path);
    location.hash = linkTo('sites');
    return undefined;
  };
  return (
    <Card>
      <p class="state">
        <Badge tone={toneOf(site)}>{wordsOf(site)}</Badge>
      </p>
      <p>
        <a href={linkTo('nodes', '', { filter: withValue('', 'site', site.name) })}>{say('nodesOfSite')}</a>{' '}
        {count(site.nodes)}
      </p>
      <Allowed takes="operator">
        <Form submit={say('save')} onSubmit={save}>
          <TextField label={say('name')} required maxLength={64} value={name} onValue={setName} />
          <TextField label={say('hours')} hint={say('hoursHint')} maxLength={200} value={hours} onValue={setHours} />
          <TextField label={say('zone')} hint="Europe/Vienna" required maxLength={64} value={zone} onValue={setZone} />
          <TextArea label={say('notes')} rows={2} maxLength={500} value={notes} onValue={setNotes} />
        </Form>
        <p>
          <a href={`api/${path}/export`} download>
            {say('exportSite')}
          </a>
        </p>
        {site.nodes === 0 && (
          <Button kind="danger" onPress={remove}>
            {say('deleteSite')}
          </Button>
        )}
      </Allowed>
    </Card>
  );
}
