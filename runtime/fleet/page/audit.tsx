/** The list of who did what. */
import { Card } from '../../page/kit/layout.tsx';
import { count, fullTime, Text } from './pieces.tsx';
import { say } from './say.ts';
import { Scroll } from './scroll.tsx';

interface Entry {
  readonly id: number;
  readonly at: string;
  readonly who: string;
  readonly what: string;
  readonly subject: string;
  readonly detail?: { readonly before?: object; readonly after?: object };
}

/** As programs have it: a line for each key. */
const wordsOf = (part: object = {}): string =>
  Object.entries(part)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('; ');

/** The audit, newest first. */
export const AuditView = () => (
  <Card>
    <Scroll<{ entries: readonly Entry[]; total: number }, Entry>
      caption={say('audit')}
      head={[say('time'), say('who'), say('what'), say('subject'), say('before'), say('after')]}
      path="audit"
      query={{}}
      pageOf={({ entries, total }) => ({ rows: entries, total })}
      keyOf={({ id }) => id}
      cellsOf={({ at, who, what, subject, detail }) => [
        fullTime(at),
        <Text key="who">{say.find(`who_${who}`) ?? who}</Text>,
        say.find(`did_${what.replaceAll(' ', '_').replaceAll('-', '_')}`) ?? what,
        <Text key="subject">{subject}</Text>,
        <Text key="before">{wordsOf(detail?.before)}</Text>,
        <Text key="after">{wordsOf(detail?.after)}</Text>,
      ]}
      told={(total) => say('entriesAre', { n: count(total) })}
      empty={say('none')}
    />
  </Card>
);
