/** A field for the language of filters, which is the same in the page and for programs. */
import { useEffect, useId, useState } from 'preact/hooks';
import { linkTo, replaceBy } from './address.ts';
import { say } from './say.ts';

const TYPED_MS = 150;

interface FilterProps {
  readonly filter: string;
  readonly view: string;
  /** What else stands in the address. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** What is typed becomes the address of the list. */
export function FilterField({ filter, view, parameters = {} }: FilterProps) {
  const id = useId();
  const [text, setText] = useState(filter);
  useEffect(() => setText(filter), [filter]);
  useEffect(() => {
    if (text === filter) return undefined;
    const timer = setTimeout(() => replaceBy(linkTo(view, '', { ...parameters, filter: text })), TYPED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div class="field wide">
      <label for={id}>{say('filter')}</label>
      <input
        id={id}
        type="search"
        dir="auto"
        maxLength={500}
        value={text}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        aria-describedby={`${id}-hint`}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <small id={`${id}-hint`} class="quiet">
        {say('filterHint')}
      </small>
    </div>
  );
}
