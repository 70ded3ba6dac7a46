/** Answers of a fleet as text for people. */
import { isRecord } from '../../base/record.ts';
import { clean, table } from '../../cli/terminal.ts';

/** A list as a table, an object as its lines. */
export function textOf(answer: unknown): string {
  if (!isRecord(answer)) return clean(answer);
  const [name, list] = Object.entries(answer).find(([, value]) => isList(value)) ?? [];
  const others = Object.entries(answer).filter(([key]) => key !== name);
  // A list with its total beside it; what has more to say is an object with a list in it.
  if (isList(list) && others.every(([, value]) => typeof value === 'number')) {
    const told = others.map(([key, value]) => `${key} ${value}`);
    return [list.length === 0 ? 'none' : tableOf(list), ...told].join('\n');
  }
  return Object.entries(answer)
    .map(
      ([key, value]) => `${clean(key)}: ${isList(value) && value.length > 0 ? `\n${tableOf(value)}` : cellOf(value)}`,
    )
    .join('\n');
}

const isList = (value: unknown): value is ReadonlyArray<Readonly<Record<string, unknown>>> =>
  Array.isArray(value) && value.every(isRecord);

function tableOf(rows: ReadonlyArray<Readonly<Record<string, unknown>>>): string {
  const head = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return table(
    head.map(clean),
    rows.map((row) => head.map((key) => cellOf(row[key]))),
  );
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.map(clean).join(', ');
  return clean(typeof value === 'object' ? JSON.stringify(value) : value);
}
