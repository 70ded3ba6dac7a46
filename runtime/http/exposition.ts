/** Numbers for Prometheus, in its text format (version 0.0.4). */

/** The media type of the format. */
export const EXPOSITION = 'text/plain; version=0.0.4; charset=utf-8';

/** Labels and a value. */
export type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

/** One metric and its samples. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter';
  readonly samples: readonly Sample[];
}

/** The metrics as text. One without samples is left out. */
export const exposition = (metrics: readonly Metric[]): string =>
  metrics
    .filter(({ samples }) => samples.length > 0)
    .map(written)
    .join('');

const written = ({ name, help, type, samples }: Metric): string =>
  [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(([labels, value]) => line(name, labels, value)),
    '',
  ].join('\n');

const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

function line(name: string, labels: Sample[0], value: number): string {
  const list = Object.entries(labels).map(([key, each]) => `${key}="${escaped(each)}"`);
  return `${name}${list.length === 0 ? '' : `{${list.join(',')}}`} ${value}`;
}
