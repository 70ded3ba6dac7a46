/** What people and programs read on the terminal. Nothing that a device or a node said can steer the terminal. */
import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];
/** Controls, and what changes the direction of text. */
const STEERING = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Words of somebody else, on one line. */
export const clean = (text: unknown): string => String(text ?? '').replaceAll(STEERING, '');

/** As one line of JSON; characters that a terminal may obey stay escaped. */
export const json = (value: unknown): string =>
  JSON.stringify(value).replaceAll(STEERING, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Colours only where somebody looks (https://no-color.org). */
export const paint = (style: Style, text: string): string =>
  process.stdout.isTTY && !process.env['NO_COLOR'] ? styleText(style, text) : text;

export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Columns as wide as what stands in them; cells are clean. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return [paint('dim', line(head).trimEnd()), ...rows.map((row) => line(row).trimEnd())].join('\n');
}
