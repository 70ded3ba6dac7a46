/** What a room of the image has to say about a code that the page tells. */
import type { Panel } from './panel.ts';

const links: NonNullable<Panel['codeLink']>[] = [];

/** Takes the links that a panel has for codes; before the page is drawn. */
export function linkCodes({ codeLink }: Panel): void {
  if (codeLink !== undefined) links.push(codeLink);
}

/** A link to what to do about a code: a condition, reason, outcome or error; nothing where no room has one. */
export function WhatToDo({ code }: { readonly code: string | undefined }) {
  const [link] = code === undefined ? [] : links.flatMap((linkOf) => linkOf(code) ?? []);
  if (link === undefined) return null;
  return (
    <>
      {' '}
      <a href={link.href}>{link.words}</a>
    </>
  );
}
