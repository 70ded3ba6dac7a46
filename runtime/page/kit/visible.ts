/** Text as a person can see it. */

const PICTURES = 0x2400;
const DELETE = 0x7f;

/** Control characters as their pictures (Unicode, Control Pictures), so that none of them is invisible. */
export const visible = (text: string): string =>
  text.replace(/\p{Cc}/gu, (character) => {
    const code = character.charCodeAt(0);
    if (code === DELETE) return '\u2421';
    return code < 0x20 ? String.fromCharCode(PICTURES + code) : '\ufffd';
  });
