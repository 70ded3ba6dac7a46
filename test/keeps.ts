/** `it` of vitest for a check that throws where a promise is not kept: the check's own assertions are not counted. */
import { expect, it } from 'vitest';

export const keeps = (promise: string, check: () => void | Promise<void>): void =>
  it(promise, async () => expect(await check()).toBeUndefined());
