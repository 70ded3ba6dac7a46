/** Asking the node for something: busy while it works, then its answer in words. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useMissed } from './missed.ts';
import { say } from './say.ts';
import { codeOf, faultOf } from './sentences.ts';
import { WhatToDo } from './what-to-do.tsx';

export interface Answer {
  readonly good: boolean;
  readonly text: string;
  /** The code of the error. */
  readonly code?: string | undefined;
}

/**
 * `run` keeps one action at a time; what it returns is said as the answer, what it throws as the failure, until `about`
 * changes.
 */
export function useAction(about?: unknown) {
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<Answer>();
  const running = useRef(false);
  useEffect(() => setAnswer(undefined), [about]);
  const run = async (work: () => Promise<string | undefined>): Promise<void> => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    setAnswer(undefined);
    try {
      const text = await work();
      setAnswer(text === undefined ? undefined : { good: true, text });
    } catch (error) {
      setAnswer({ good: false, text: faultOf(error), code: codeOf(error) });
    }
    running.current = false;
    setBusy(false);
  };
  const forget = () => setAnswer(undefined);
  return { busy, answer, run, forget };
}

/** A live region: it is there before there is anything to say. */
export const Said = ({ answer }: { answer: Answer | undefined }) => (
  <output class={answer === undefined ? 'answer' : `answer ${answer.good ? 'good' : 'bad'}`}>
    {answer?.text}
    <WhatToDo code={answer?.code} />
  </output>
);

interface ButtonProps {
  /** What is said when it is done. */
  readonly onPress: () => Promise<string | undefined>;
  readonly children: ComponentChildren;
  /** Asked first; nothing happens until it is answered. */
  readonly confirm?: string;
  readonly kind?: 'main' | 'danger';
  readonly disabled?: boolean;
  /** What is asked for; a change of it takes the answer away. */
  readonly about?: unknown;
}

/** A button with its own answer below it; off while the node does not answer. */
export function Button({ onPress, children, confirm, kind, disabled, about }: ButtonProps) {
  const { busy, answer, run } = useAction(about);
  const off = useMissed() !== undefined || disabled;
  const [asking, setAsking] = useState(false);
  const no = useRef<HTMLButtonElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const asked = useRef(false);
  useEffect(() => {
    // Whoever works by keyboard stays where they are.
    if (asking) no.current?.focus();
    else if (asked.current) button.current?.focus();
    asked.current = asking;
  }, [asking]);
  const press = () => {
    setAsking(false);
    void run(onPress);
  };
  return (
    <div class="action">
      {asking && !off ? (
        <fieldset class="confirm">
          <legend>{confirm}</legend>
          <button type="button" class="danger" onClick={press}>
            {say('yes')}
          </button>
          <button type="button" ref={no} onClick={() => setAsking(false)}>
            {say('no')}
          </button>
        </fieldset>
      ) : (
        <button
          type="button"
          ref={button}
          class={kind}
          aria-disabled={busy || off}
          aria-busy={busy}
          onClick={() => {
            if (!busy && !off) confirm === undefined ? press() : setAsking(true);
          }}
        >
          {children}
        </button>
      )}
      <Said answer={answer} />
    </div>
  );
}

interface FormProps {
  readonly onSubmit: () => Promise<string | undefined>;
  /** On the button. */
  readonly submit: string;
  readonly children: ComponentChildren;
}

/** Fields and the button that sends them. */
export function Form({ onSubmit, submit, children }: FormProps) {
  const { busy, answer, run, forget } = useAction();
  const off = useMissed() !== undefined;
  return (
    <form
      autocomplete="off"
      // What was said was said of other values.
      onInput={forget}
      onSubmit={(event) => {
        event.preventDefault();
        if (!off) void run(onSubmit);
      }}
    >
      {children}
      <div class="action">
        <button type="submit" class="main" aria-disabled={busy || off} aria-busy={busy}>
          {submit}
        </button>
        <Said answer={answer} />
      </div>
    </form>
  );
}
