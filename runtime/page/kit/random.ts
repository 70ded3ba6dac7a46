/** Random text. `crypto.randomUUID` and `crypto.subtle` exist on secure origins alone; this does on every one. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** A text of that many letters and digits, five bits each; none that look alike. */
export const randomText = (length: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => LETTERS[byte % LETTERS.length]).join('');

/** For the `id` of a command. */
export const commandId = (): string => `page-${randomText(12)}`;
