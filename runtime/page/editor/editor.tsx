/** A text area for JSON that knows the schema: it offers what may stand at the caret and marks what is wrong. */
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { positionOf } from '../../base/json-places.ts';
import { say } from '../kit/say.ts';
import { type Completion, complete } from './complete.ts';
import type { Mark } from './read.ts';
import type { Schema } from './schema.ts';
import { Suggestions } from './suggestions.tsx';

/** Height of a row, as editor.css has it. */
const ROW_REM = 1.25;
const MOST_CHARACTERS = 262_144;

interface EditorProps {
  readonly label: string;
  readonly schema: Schema;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly marks: readonly Mark[];
}

interface Open extends Completion {
  readonly active: number;
  /** Row of the caret, from 0. */
  readonly row: number;
}

/** A text area for JSON with marked faults and completion by a schema. */
export function Editor({ label, schema, text, onText, marks }: EditorProps) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const shades = useRef<HTMLPreElement>(null);
  const [open, setOpen] = useState<Open>();

  const scroll = () => {
    if (area.current === null || shades.current === null) return;
    shades.current.scrollTop = area.current.scrollTop;
    shades.current.scrollLeft = area.current.scrollLeft;
  };
  useLayoutEffect(scroll);

  const offer = (target: HTMLTextAreaElement) => {
    const { value, selectionStart: caret, selectionEnd } = target;
    const completion = caret === selectionEnd ? complete(schema, value, caret) : undefined;
    const [first] = completion?.suggestions ?? [];
    const written = completion && value.slice(completion.from, completion.to);
    // What stands there already need not be offered.
    if (
      completion === undefined ||
      (completion.suggestions.length === 1 && first?.insert.replace(/: $/, '') === written)
    ) {
      setOpen(undefined);
    } else setOpen({ ...completion, active: 0, row: positionOf(value, caret).line - 1 });
  };

  const accept = (index: number) => {
    const target = area.current;
    const chosen = open?.suggestions[index];
    if (target === null || open === undefined || chosen === undefined) return;
    setOpen(undefined);
    target.focus();
    target.setSelectionRange(open.from, open.to);
    // The one way that keeps the undo of the browser.
    document.execCommand('insertText', false, chosen.insert);
    const hole = chosen.insert.indexOf('""');
    if (hole >= 0) target.setSelectionRange(open.from + hole + 1, open.from + hole + 1);
    else if (chosen.insert.endsWith(': ')) offer(target);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === ' ' && event.ctrlKey) {
      event.preventDefault();
      if (area.current) offer(area.current);
    } else if (open !== undefined && KEYS.has(event.key)) {
      event.preventDefault();
      const { length } = open.suggestions;
      if (event.key === 'Escape') setOpen(undefined);
      else if (event.key === 'ArrowDown') setOpen({ ...open, active: (open.active + 1) % length });
      else if (event.key === 'ArrowUp') setOpen({ ...open, active: (open.active + length - 1) % length });
      else accept(open.active);
    }
  };

  const goTo = ({ from, to }: Mark) => {
    area.current?.focus();
    area.current?.setSelectionRange(from, to);
  };

  return (
    <div class="editor">
      <label for={id}>{label}</label>
      <div class="editor-text">
        <pre ref={shades} aria-hidden="true">
          {shaded(text, marks)}
        </pre>
        <textarea
          id={id}
          ref={area}
          rows={18}
          wrap="off"
          spellcheck={false}
          autocapitalize="none"
          autocomplete="off"
          maxLength={MOST_CHARACTERS}
          value={text}
          aria-invalid={marks.length > 0}
          aria-describedby={`${id}-hint ${id}-faults`}
          aria-autocomplete="list"
          aria-controls={open && `${id}-list`}
          aria-activedescendant={open && `${id}-${open.active}`}
          onInput={(event) => {
            onText(event.currentTarget.value);
            const { inputType, data } = event as InputEvent;
            if (inputType === 'insertText' && data !== null && data.trim() !== '') offer(event.currentTarget);
            else setOpen(undefined);
          }}
          onScroll={scroll}
          onKeyDown={onKeyDown}
          onClick={() => setOpen(undefined)}
          onBlur={() => setOpen(undefined)}
        />
        {open && (
          <Suggestions
            id={id}
            suggestions={open.suggestions}
            active={open.active}
            top={`calc(${(open.row + 1) * ROW_REM + 0.75}rem - ${area.current?.scrollTop ?? 0}px)`}
            onChoose={accept}
          />
        )}
      </div>
      <small id={`${id}-hint`} class="quiet">
        {say('editorHint')}
      </small>
      <p class="unseen" role="status">
        {open &&
          say('suggestionsNow', { n: open.suggestions.length, label: open.suggestions[open.active]?.label ?? '' })}
      </p>
      <ul id={`${id}-faults`} class="editor-faults">
        {marks.map((mark) => {
          const { line, column } = positionOf(text, mark.from);
          return (
            <li key={`${mark.from} ${mark.message}`}>
              <button type="button" onClick={() => goTo(mark)}>
                {say('lineColumn', { line, column })}
              </button>{' '}
              <span class="bad" translate={false}>
                {mark.message}
              </span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

const KEYS: ReadonlySet<string> = new Set(['Escape', 'ArrowDown', 'ArrowUp', 'Enter', 'Tab']);

/** The text once more, to stand behind the text area: what is wrong in it is marked. */
function shaded(text: string, marks: readonly Mark[]) {
  const pieces = [];
  let at = 0;
  for (const { from, to } of [...marks].sort((a, b) => a.from - b.from)) {
    if (from < at) continue;
    pieces.push(text.slice(at, from), <mark key={from}>{text.slice(from, to) || ' '}</mark>);
    at = to;
  }
  // A line end at the very end would have no row.
  return [...pieces, `${text.slice(at)} `];
}
