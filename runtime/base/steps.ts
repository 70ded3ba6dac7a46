/** Work that is done a step at a time, so that who does it can do other work between. */

/** Gives its result behind its last step. */
export type Stepwise<T> = Generator<undefined, T>;

/** Takes all steps at once; gives the result. */
export function finished<T>(steps: Stepwise<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
