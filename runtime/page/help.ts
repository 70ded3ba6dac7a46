/** What a shop asks, as data: the build makes it of `.github/HELP.md`. */

/** A text, an element of HTML with what is in it, or a link to another section. */
export type HelpPart = string | HelpElement | HelpLink;
export type HelpElement = readonly [
  tag: 'p' | 'ul' | 'li' | 'b' | 'code' | 'table' | 'tr' | 'th' | 'td',
  ...parts: HelpPart[],
];
export type HelpLink = readonly [tag: 'a', section: string, ...parts: HelpPart[]];

export interface HelpSection {
  /** What a link names it by: its title in small letters, as GitHub makes it. */
  readonly id: string;
  readonly title: string;
  readonly parts: readonly HelpPart[];
}

export interface Help {
  /** What stands before the first section: what it is, and what is in it. */
  readonly intro: readonly HelpPart[];
  readonly sections: readonly HelpSection[];
}
