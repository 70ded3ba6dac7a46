/** A list that may be of a hundred thousand rows: only what is near the window is asked for and drawn. */
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Head, Row } from '../../page/kit/layout.tsx';
import { useAsked } from './api.ts';
import { count } from './pieces.tsx';
import { say } from './say.ts';

const LOOK_MS = 10_000;
/** Rows that are asked for together. */
const BLOCK = 50;
/** The height of a row that was not drawn yet, in CSS pixels. */
const ROW_PX = 40;
/** Engines draw no element that is much higher. */
const MOST_PX = 15_000_000;
/** While somebody scrolls, what is near is looked for so often. */
const SETTLE_MS = 100;

/** Rows as the answer of the fleet has them. */
interface Page<T> {
  readonly rows: readonly T[];
  /** How many the whole list has. */
  readonly total: number;
}

interface ScrollProps<Answer, T> {
  readonly caption: string;
  readonly head: readonly string[];
  /** What is asked; `limit` and `offset` follow. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly pageOf: (answer: Answer) => Page<T>;
  readonly keyOf: (row: T) => string | number;
  /** A cell for each name of the head. `reload`: asks again for the rows around it. */
  readonly cellsOf: (row: T, reload: () => Promise<void>) => readonly ComponentChildren[];
  /** How many there are, as a sentence. */
  readonly told: (total: number) => string;
  /** Said where there are no rows. */
  readonly empty: string;
}

/** The list as a table, whose rows say their place in the whole. */
export function Scroll<Answer, T>(props: ScrollProps<Answer, T>) {
  const { caption, head, told, empty } = props;
  const [total, setTotal] = useState<number>();
  const [fault, setFault] = useState<string>();
  const heights = useRef(new Heights());
  const table = useRef<HTMLTableElement>(null);
  const [[first, last], setNear] = useState<readonly [number, number]>([0, 0]);
  const rows = Math.min(total ?? 0, heights.current.most);
  const blocks = Math.max(1, Math.ceil(rows / BLOCK));
  const look = useCallback(() => {
    const top = table.current?.getBoundingClientRect().top ?? 0;
    const near = heights.current.within(-top - innerHeight, -top + 2 * innerHeight, blocks);
    setNear((before) => (before[0] === near[0] && before[1] === near[1] ? before : near));
  }, [blocks]);
  useNear(look, () => heights.current.forget());
  const answered = useCallback((page: Page<unknown> | undefined, why: string | undefined) => {
    setFault(why);
    if (page !== undefined) setTotal(page.total);
  }, []);
  const drawn = useCallback(
    (at: number, px: number) => {
      heights.current.put(at, px);
      look();
    },
    [look],
  );
  const isEmpty = total === 0;
  const space = (from: number, to: number) => <Space columns={head.length} px={heights.current.sum(from, to)} />;
  const end = Math.min(last, blocks - 1);
  const start = Math.min(first, end);
  return (
    <>
      {fault !== undefined && (
        <p class="bad" role="alert">
          {fault}
        </p>
      )}
      {total === undefined && fault === undefined && <p class="asking">{say('asking')}</p>}
      {total !== undefined && <p role="status">{told(total)}</p>}
      {isEmpty && <p class="quiet">{empty}</p>}
      <table ref={table} hidden={total === undefined || isEmpty} aria-rowcount={rows + 1}>
        <caption class="unseen">{caption}</caption>
        <Head names={head} row={1} />
        {space(0, start)}
        {Array.from({ length: end - start + 1 }, (_, of) => (
          <Block key={start + of} {...props} at={start + of} answered={answered} drawn={drawn} />
        ))}
        {space(end + 1, blocks)}
      </table>
      {total !== undefined && rows < total && <p class="quiet">{say('scrollsTo', { n: count(rows) })}</p>}
    </>
  );
}

/** Looks when somebody scrolls, or after the width has changed, and with it the height of rows. */
function useNear(look: () => void, forget: () => void): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let width = innerWidth;
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        look();
      }, SETTLE_MS);
    };
    const resized = () => {
      if (innerWidth !== width) forget();
      width = innerWidth;
      soon();
    };
    look();
    addEventListener('scroll', soon, { passive: true });
    addEventListener('resize', resized);
    return () => {
      clearTimeout(timer);
      removeEventListener('scroll', soon);
      removeEventListener('resize', resized);
    };
  }, [look]);
}

/** How high blocks are, in CSS pixels: as they were drawn, the others as the first one. */
class Heights {
  readonly #drawn = new Map<number, number>();
  #other = BLOCK * ROW_PX;
  #isKnown = false;

  put(at: number, px: number): void {
    this.#drawn.set(at, px);
    if (!this.#isKnown) this.#other = px;
    this.#isKnown = true;
  }

  forget(): void {
    this.#drawn.clear();
    this.#isKnown = false;
  }

  /** How many rows have room. */
  get most(): number {
    return Math.floor(MOST_PX / Math.max(this.#other, BLOCK * ROW_PX)) * BLOCK;
  }

  /** The height of all blocks from one to before another. */
  sum(from: number, to: number): number {
    let px = Math.max(0, to - from) * this.#other;
    for (const [at, own] of this.#drawn) if (at >= from && at < to) px += own - this.#other;
    return px;
  }

  /** The first and the last of so many blocks that are between two places of the list. */
  within(from: number, to: number, blocks: number): readonly [number, number] {
    let bottom = 0;
    let first: number | undefined;
    for (let at = 0; at < blocks; at += 1) {
      bottom += this.#drawn.get(at) ?? this.#other;
      if (bottom > from) first ??= at;
      if (bottom > to) return [first ?? at, at];
    }
    return [first ?? blocks - 1, blocks - 1];
  }
}

/** In place of rows that are not drawn. */
const Space = ({ columns, px }: { columns: number; px: number }) =>
  px === 0 ? null : (
    <tbody aria-hidden="true">
      <tr class="space">
        <td colSpan={columns} style={{ height: `${px}px` }} />
      </tr>
    </tbody>
  );

interface BlockProps<Answer, T> extends ScrollProps<Answer, T> {
  readonly at: number;
  readonly answered: (page: Page<T> | undefined, fault: string | undefined) => void;
  readonly drawn: (at: number, px: number) => void;
}
function Block<Answer, T>(props: BlockProps<Answer, T>) {
  const { at, head, path, query, pageOf, keyOf, cellsOf, answered, drawn } = props;
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const range = [
    ['limit', String(BLOCK)],
    ['offset', String(at * BLOCK)],
  ];
  const asked = useAsked<Answer>(`${path}?${new URLSearchParams([...given, ...range])}`, LOOK_MS);
  const page = asked.data && pageOf(asked.data);
  const body = useRef<HTMLTableSectionElement>(null);
  useEffect(() => answered(page, asked.fault), [asked.data, asked.fault]);
  useLayoutEffect(() => {
    const px = body.current?.offsetHeight ?? 0;
    if (page?.rows.length === BLOCK && px > 0) drawn(at, px);
  });
  if (page === undefined) return <Space columns={head.length} px={BLOCK * ROW_PX} />;
  return (
    <tbody ref={body}>
      {page.rows.map((row, nth) => (
        <Row key={keyOf(row)} head={head} cells={cellsOf(row, asked.reload)} row={at * BLOCK + nth + 2} />
      ))}
    </tbody>
  );
}
