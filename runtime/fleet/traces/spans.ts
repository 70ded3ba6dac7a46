/** Where spans of a trace begin. While nobody asked for traces, that is one comparison, and nothing is loaded. */

/** What is told of a span: words and numbers of ours, never a value that came in, nor a name of somebody. */
export type SpanAttributes = Readonly<Record<string, string | number>>;
/** Told later of a span, as its status is known. */
export type Tell = (attributes: SpanAttributes) => void;

interface SpanOptions {
  readonly name: string;
  /** server: a request came; client: another program is asked; internal: work of ours. */
  readonly kind: 'server' | 'client' | 'internal';
  readonly attributes?: SpanAttributes;
  /** Whether it begins a trace, whatever goes on around it. */
  readonly isRoot?: boolean;
}
/** Runs work in a span; what it rejects with is noted by its kind alone. */
export type Tracer = <T>(options: SpanOptions, work: (tell: Tell) => Promise<T>) => Promise<T>;

let tracer: Tracer | undefined;
const untold: Tell = () => {};

/** From now on spans go there; undefined for nowhere. */
export function traceTo(to: Tracer | undefined): void {
  tracer = to;
}

/** Runs the work, in a span where there are traces. */
export const inSpan: Tracer = (options, work) => (tracer === undefined ? work(untold) : tracer(options, work));

/** Runs a statement, in a span of its text: values are parameters, which stay out of it. */
export function inStatement<T>(sql: string, work: () => Promise<T>): Promise<T> {
  if (tracer === undefined) return work();
  const text = sql.replaceAll(/\s+/g, ' ').trim().slice(0, 1000);
  const name = /^\w+/.exec(text)?.[0].toUpperCase() ?? 'SQL';
  return tracer({ name, kind: 'client', attributes: { 'db.system.name': 'postgresql', 'db.query.text': text } }, work);
}
