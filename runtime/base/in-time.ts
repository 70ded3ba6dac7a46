/** Waiting for what may never come. */

/** Something did not answer in its time. */
export class NoAnswer extends Error {}

/** The result, or a rejection with `NoAnswer` where there is none after `patienceMs`; `late` gets one that comes later. */
export async function inTime<T>(result: Promise<T>, patienceMs: number, late?: (result: T) => unknown): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(`no answer within ${patienceMs / 1000} s`)), patienceMs);
  });
  try {
    return await Promise.race([result, over]);
  } catch (error) {
    if (error instanceof NoAnswer) result.then(late).catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
