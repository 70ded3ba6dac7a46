/** Output on the terminal. Text from a device or a node never contains characters that control the terminal. */
import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];
/** Control characters, line separators, and characters that change the direction of text. */
const STEERING = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Text from a device or a node without control characters, on one line; '' for undefined and null. */
export const clean = (text: unknown): string => String(text ?? '').replaceAll(STEERING, '');

/** One line of JSON; control characters are escaped. */
export const json = (value: unknown): string =>
  JSON.stringify(value).replaceAll(STEERING, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Styles text if standard output is a terminal and NO_COLOR is not set (https://no-color.org). */
export const paint = (style: Style, text: string): string =>
  process.stdout.isTTY && !process.env['NO_COLOR'] ? styleText(style, text) : text;

/** Writes a line to standard output. */
export const writeOut = (line: string): void => void process.stdout.write(`${line}\n`);

/** A table as text, with columns as wide as their longest cell. Cells must be clean. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return [paint('dim', line(head).trimEnd()), ...rows.map((row) => line(row).trimEnd())].join('\n');
}
