/** What several views are drawn with. */
import type { ComponentChildren } from 'preact';
import { language } from '../../base/speech.ts';
import { Badge, type Tone } from '../../page/kit/badge.tsx';
import { ago } from '../../page/kit/sentences.ts';
import { linkTo } from './address.ts';
import { type Asked, now } from './api.ts';
import { say } from './say.ts';

/** What was asked for, as soon as it is there; above it, why the last answer did not come. */
export const Shown = <T,>({ asked, children }: { asked: Asked<T>; children: (data: T) => ComponentChildren }) => (
  <>
    {asked.fault !== undefined && (
      <p class="bad" role="alert">
        {asked.fault}
      </p>
    )}
    {asked.data === undefined
      ? asked.fault === undefined && <p class="asking">{say('asking')}</p>
      : children(asked.data)}
  </>
);

/** Names and texts that people or nodes gave, in whatever script: their direction changes nothing around them. */
export const Text = ({ children }: { children: string }) => (
  <bdi dir="auto" translate={false}>
    {children}
  </bdi>
);

/** A link to a node. */
export const NodeLink = ({ id }: { id: string }) => (
  <a href={linkTo('node', id)} dir="auto" translate={false}>
    {id}
  </a>
);

/** A link to a site. */
export const SiteLink = ({ site }: { site: string }) => (
  <a href={linkTo('site', site)} dir="auto" translate={false}>
    {site}
  </a>
);

/** How long ago it was; the whole date as a tooltip. */
export const When = ({ at }: { at: string }) => (
  <time dateTime={at} title={fullTime(at)}>
    {ago(Math.max(0, now() - Date.parse(at)))}
  </time>
);

/** A date with its time of day, in the language of the page. */
export const fullTime = (at: string): string =>
  new Date(at).toLocaleString(`${language}-u-nu-latn`, { dateStyle: 'medium', timeStyle: 'medium' });

const STATE_TONES: Readonly<Record<string, Tone>> = {
  offline: 'bad',
  no_paper: 'bad',
  crash_loop: 'bad',
  custody_hold: 'warn',
};

/** What is wrong with a node, or that nothing is. */
export const States = ({ states }: { states: readonly string[] }) =>
  states.length === 0 ? (
    <Badge tone="good">{say('fine')}</Badge>
  ) : (
    <span class="states">
      {states.map((state) => (
        <Badge key={state} tone={STATE_TONES[state]}>
          {say.find(`state_${state}`) ?? state}
        </Badge>
      ))}
    </span>
  );

/** An integer with separators of thousands. */
export const count = (value: number): string => value.toLocaleString(`${language}-u-nu-latn`);

interface PagerProps {
  readonly view: string;
  readonly subject?: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** The parameter that tells where a page begins, and its value for the next page, '' if this is the last. */
  readonly cursor: string;
  readonly next: string;
}

/** Links to the first page and the next one; the button of the browser goes back. */
export function Pager({ view, subject = '', parameters, cursor, next }: PagerProps) {
  const isFirst = (parameters[cursor] ?? '') === '';
  if (isFirst && next === '') return null;
  return (
    <nav class="row" aria-label={say('pages')}>
      {!isFirst && <a href={linkTo(view, subject, { ...parameters, [cursor]: '' })}>{say('firstPage')}</a>}
      {next !== '' && <a href={linkTo(view, subject, { ...parameters, [cursor]: next })}>{say('nextPage')}</a>}
    </nav>
  );
}
