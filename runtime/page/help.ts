/** What a shop asks, as data: the build makes it of `.github/HELP.md`. */

/** A text, or an element of HTML with what is in it. */
export type HelpPart = string | HelpElement;
export type HelpElement = readonly [
  tag: 'p' | 'ul' | 'li' | 'b' | 'code' | 'table' | 'tr' | 'th' | 'td',
  ...parts: HelpPart[],
];

export interface HelpSection {
  readonly title: string;
  readonly parts: readonly HelpPart[];
}
