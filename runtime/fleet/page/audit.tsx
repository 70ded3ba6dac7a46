/** Who did what. */
import { Card, Table } from '../../page/kit/layout.tsx';
import type { Address } from './address.ts';
import { useAsked } from './api.ts';
import { fullTime, Pager, Shown, Text } from './pieces.tsx';
import { say } from './say.ts';

const PAGE = 100;
const LOOK_MS = 10_000;

interface Entries {
  readonly entries: ReadonlyArray<{
    readonly id: number;
    readonly at: string;
    readonly who: string;
    readonly what: string;
    readonly subject: string;
    readonly detail?: { readonly before?: object; readonly after?: object };
  }>;
}

/** As programs have it: a line for each key. */
const wordsOf = (part: object = {}): string =>
  Object.entries(part)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('; ');

/** The audit, newest first. */
export function AuditView({ address: { parameters } }: { address: Address }) {
  const { before = '' } = parameters;
  const query = new URLSearchParams({ limit: String(PAGE), ...(before && { before }) });
  const asked = useAsked<Entries>(`audit?${query}`, LOOK_MS);
  return (
    <Card>
      <Shown asked={asked}>
        {({ entries }) => (
          <>
            <Table
              caption={say('audit')}
              head={[say('time'), say('who'), say('what'), say('subject'), say('before'), say('after')]}
              rows={entries.map((entry) => ({
                key: entry.id,
                cells: [
                  fullTime(entry.at),
                  <Text key="who">{say.find(`who_${entry.who}`) ?? entry.who}</Text>,
                  say.find(`did_${entry.what.replaceAll(' ', '_').replaceAll('-', '_')}`) ?? entry.what,
                  <Text key="subject">{entry.subject}</Text>,
                  <Text key="before">{wordsOf(entry.detail?.before)}</Text>,
                  <Text key="after">{wordsOf(entry.detail?.after)}</Text>,
                ],
              }))}
              empty={say('none')}
            />
            <Pager
              view="audit"
              parameters={parameters}
              cursor="before"
              next={entries.length === PAGE ? String(entries.at(-1)?.id ?? '') : ''}
            />
          </>
        )}
      </Shown>
    </Card>
  );
}
