/** A certification while it goes on: how far it is, and the question that waits. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { svgOf } from '../../../certify/symbols.ts';
import { SKIP, type Tour } from '../../../certify/tour.ts';
import { Button } from '../../../page/kit/action.tsx';
import { Drawing } from '../../../page/kit/drawing.tsx';
import { TextField } from '../../../page/kit/fields.tsx';
import type { QuestionAsked, RunState } from './run.ts';
import { say } from './say.ts';

/**
 * As the certificate takes names: what a folder can be named after, and no signs that mean something in the table of
 * tested devices.
 */
const NAME = '(?=.*[A-Za-z0-9])[^\\p{Cc}\\|`<>]+';
const LONGEST = 126;

interface RunningProps {
  readonly tour: Tour;
  readonly state: RunState;
  readonly onEnd: () => void;
}

/** The card of the question, under the progress. */
export function Running({ tour, state: { asked, step, showsCodes }, onEnd }: RunningProps) {
  const most = tour.steps.length + 1;
  const where = say('progress', { n: step.n + 1, most, title: step.title });
  return (
    <>
      <p class="quiet">
        {where}
        <progress aria-label={where} value={step.n} max={most} />
      </p>
      <section class="card urgent" aria-labelledby="question" data-question={asked?.question.id}>
        {asked === undefined ? (
          <h3 id="question" class="asking">
            {say('working')}
          </h3>
        ) : (
          <Question key={asked.question.id} asked={asked} showsCode={showsCodes} />
        )}
      </section>
      <Button
        kind="danger"
        confirm={say('endAsk')}
        onPress={async () => {
          onEnd();
          return undefined;
        }}
      >
        {say('end')}
      </Button>
    </>
  );
}

function Question({
  asked: { question, answer },
  showsCode,
}: {
  readonly asked: QuestionAsked;
  readonly showsCode: boolean;
}) {
  const { text, choices, awaited, needed, code, default: usual } = question;
  const heading = useRef<HTMLHeadingElement>(null);
  // The second click of a double one is for the question before, whose button stood there.
  const give = (value: string) => (event: MouseEvent) => {
    if (event.detail < 2) answer(value);
  };
  // Whoever works by keyboard or ear is told of the next question.
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <h3 id="question" ref={heading} tabIndex={-1}>
        {text}
      </h3>
      {code && showsCode && (
        <figure>
          <Drawing svg={svgOf(code)} label={say('codeDrawing', { value: code.value })} />
        </figure>
      )}
      {awaited ? (
        <>
          <p>{say('waiting')}</p>
          {!needed && (
            <div class="row">
              <button type="button" data-answer={SKIP} onClick={give(SKIP)}>
                {say('skip')}
              </button>
            </div>
          )}
        </>
      ) : choices ? (
        <div class="row">
          {Object.entries(choices).map(([choice, meaning]) => (
            <button type="button" key={choice} data-answer={choice} onClick={give(choice)}>
              {meaning}
            </button>
          ))}
        </div>
      ) : (
        <FreeAnswer usual={usual ?? ''} answer={answer} />
      )}
    </>
  );
}

function FreeAnswer({ usual, answer }: { readonly usual: string; readonly answer: (text: string) => void }) {
  const [value, setValue] = useState(usual);
  return (
    <form
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        if (value.trim() !== '') answer(value.trim());
      }}
    >
      <TextField
        label={say('answer')}
        hint={say('signs')}
        required
        maxLength={LONGEST}
        pattern={NAME}
        value={value}
        onValue={setValue}
      />
      <div class="action">
        <button type="submit" class="main">
          {say('next')}
        </button>
      </div>
    </form>
  );
}
