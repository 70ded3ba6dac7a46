/** What panels are laid out with. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Badge } from './badge.tsx';
import { useMissed } from './missed.ts';
import { say } from './say.ts';
import { clock } from './sentences.ts';

interface CardProps {
  readonly title?: string;
  /** Something that waits for an answer: of a panel's own rank, as in its `Notice`. */
  readonly urgent?: boolean;
  readonly children: ComponentChildren;
}

/** A part of a panel under its own heading. While the node does not answer it says so: what it shows is of before. */
export function Card({ title, urgent, children }: CardProps) {
  const id = useId();
  const missed = useMissed();
  return (
    <section
      class={`card${urgent ? ' urgent' : ''}${missed === undefined ? '' : ' past'}`}
      aria-labelledby={title === undefined ? undefined : id}
    >
      {title !== undefined && (urgent ? <h2 id={id}>{title}</h2> : <h3 id={id}>{title}</h3>)}
      {missed !== undefined && (
        <p class="state">
          <Badge tone="bad">{say('notKnown', { time: clock(Date.now() - missed) })}</Badge>
        </p>
      )}
      {children}
    </section>
  );
}

/** A text, which may be a person's or a device's, goes in its own direction and leaves that of what is around it. */
const isolated = (value: ComponentChildren) => (typeof value === 'string' ? <bdi>{value}</bdi> : value);

/** Names and values. A value that is undefined is left out with its name. */
export const Facts = ({ rows }: { rows: ReadonlyArray<readonly [string, ComponentChildren | undefined]> }) => (
  <dl>
    {rows.map(
      ([name, value]) =>
        value !== undefined && (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{isolated(value)}</dd>
          </div>
        ),
    )}
  </dl>
);

/** The names of the columns. `row`: the place of this row in the whole, of a table of which a part is drawn (WAI-ARIA 1.2, aria-rowindex). */
export const Head = ({ names, row }: { readonly names: readonly string[]; readonly row?: number }) => (
  <thead>
    <tr aria-rowindex={row}>
      {names.map((name) => (
        <th key={name} scope="col">
          {name}
        </th>
      ))}
    </tr>
  </thead>
);

interface RowProps {
  readonly head: readonly string[];
  readonly cells: readonly ComponentChildren[];
  /** As of the head. */
  readonly row?: number;
}

/** A cell for each name of the head, which stands before it on a narrow screen. */
export const Row = ({ head, cells, row }: RowProps) => (
  <tr aria-rowindex={row}>
    {cells.map((cell, column) => (
      <td key={head[column]} data-label={head[column]}>
        {isolated(cell)}
      </td>
    ))}
  </tr>
);

interface TableProps {
  readonly caption: string;
  readonly head: readonly string[];
  /** A cell a column. The key of a row stays with what it shows. */
  readonly rows: ReadonlyArray<{ readonly key: string | number; readonly cells: readonly ComponentChildren[] }>;
  /** Said where there are no rows. */
  readonly empty: string;
}

/** On a narrow screen each row stands as a block of its own, every cell with the name of its column. */
export const Table = ({ caption, head, rows, empty }: TableProps) =>
  rows.length === 0 ? (
    <p class="quiet">{empty}</p>
  ) : (
    <table>
      <caption class="unseen">{caption}</caption>
      <Head names={head} />
      <tbody>
        {rows.map(({ key, cells }) => (
          <Row key={key} head={head} cells={cells} />
        ))}
      </tbody>
    </table>
  );

/** Until the node has answered; then, why it did not. */
export const Asking = ({ fault }: { fault?: string | undefined }) => (
  <p class={fault === undefined ? 'asking' : 'bad'}>{fault ?? say('asking')}</p>
);

/** Why nothing can be saved here (specification 5.12); to stand in place of the controls. `what` begins a sentence. */
export const ReadOnly = ({ what }: { what?: string }) => (
  <p class="quiet">{what === undefined ? say('readOnlyThis') : say('readOnly', { what })}</p>
);
