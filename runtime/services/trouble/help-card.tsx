/** Answers to what a shop asks, as the document of the tree has them, in English. */

import sections from 'virtual:help';
import { type ComponentChildren, createElement } from 'preact';
import type { HelpPart } from '../../page/help.ts';
import { Card, speech } from '../../page/kit.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

const shown = (part: HelpPart, at: number): ComponentChildren => {
  if (typeof part === 'string') return part;
  const [tag, ...parts] = part;
  return createElement(tag, { key: at }, parts.map(shown));
};

/** One part to open for each question. */
export const Help = () => (
  <Card title={say('help')}>
    <p class="quiet">{say('helpAbout')}</p>
    <div class="help" lang="en" dir="ltr" translate>
      {sections.map(({ title, parts }) => (
        <details key={title}>
          <summary>{title}</summary>
          {parts.map(shown)}
        </details>
      ))}
    </div>
  </Card>
);
