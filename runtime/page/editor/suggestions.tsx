/** What is offered at the caret. The focus stays in the text: the list is told about by aria-activedescendant. */
import { useEffect, useRef } from 'preact/hooks';
import { say } from '../kit/say.ts';
import type { Suggestion } from './complete.ts';

interface SuggestionsProps {
  readonly id: string;
  readonly suggestions: readonly Suggestion[];
  readonly active: number;
  readonly top: string;
  readonly onChoose: (index: number) => void;
}

/** The list of suggestions below the caret. */
export function Suggestions({ id, suggestions, active, top, onChoose }: SuggestionsProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => list.current?.children[active]?.scrollIntoView({ block: 'nearest' }), [active]);
  return (
    <div
      id={`${id}-list`}
      ref={list}
      role="listbox"
      aria-label={say('suggestions')}
      class="suggestions"
      style={{ top }}
    >
      {suggestions.map(({ label, detail }, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text area, which keeps the focus.
        <div
          key={label}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(index)}
        >
          <code>{label}</code>{' '}
          <small class="quiet" translate={false}>
            {detail}
          </small>
        </div>
      ))}
    </div>
  );
}
