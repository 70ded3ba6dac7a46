/** Answers from a file in the place of a person. */
import type { Host } from './certify.ts';
import { DO, type Question, SKIP } from './tour.ts';

/** As the certificate takes names: nothing that means something in the table of tested devices. */
const name = () => /^(?=.*[A-Za-z0-9])[^\p{Cc}|`<>]{1,126}$/u;

/** What is wrong with an answer, as the end of a sentence; undefined if it is one. */
export function answerFault({ choices, awaited }: Question, answer: unknown): string | undefined {
  const among = awaited ? [DO, SKIP] : choices && Object.keys(choices);
  if (typeof answer !== 'string') return 'must be text';
  if (among !== undefined) return among.includes(answer) ? undefined : `must be one of ${among.join(', ')}`;
  return name().test(answer)
    ? undefined
    : 'must be 1 to 126 characters, with a Latin letter or a digit, without | ` < >';
}

/**
 * What is wrong with a file of answers, an object from the id of each question to its answer; the sentence names
 * the question. Undefined if nothing is.
 */
export function faultIn(answers: unknown, questions: readonly Question[]): string | undefined {
  if (typeof answers !== 'object' || answers === null || Array.isArray(answers)) return 'is not an object of answers';
  const given = new Map<string, unknown>(Object.entries(answers));
  for (const id of given.keys())
    if (!questions.some((question) => question.id === id)) return `there is no question ${JSON.stringify(id)}`;
  for (const question of questions) {
    const { id, text } = question;
    if (!given.has(id) && question.default === undefined) return `question ${id} is not answered: ${text}`;
    const fault = given.has(id) ? answerFault(question, given.get(id)) : undefined;
    if (fault !== undefined) return `question ${id}: the answer ${fault}`;
  }
  return undefined;
}

/** Answers from a file that `faultIn` found nothing wrong with. `asked` is told of every question. */
export const answersFrom = (
  answers: Readonly<Record<string, string>>,
  asked: (question: Question, answer: string) => void,
): Pick<Host, 'ask'> => ({
  ask: (question, signal) => {
    const answer = answers[question.id] ?? question.default ?? '';
    asked(question, answer);
    if (answer !== DO || !question.awaited) return Promise.resolve(answer);
    // The device answers.
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
  },
});
