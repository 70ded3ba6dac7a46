/** The names that manuals give to commands. */

const LEADS: Readonly<Record<number, string>> = { 16: 'DLE', 27: 'ESC', 28: 'FS', 29: 'GS' };
const SECONDS: Readonly<Record<number, string>> = { 4: 'EOT', 5: 'ENQ', 12: 'FF', 20: 'DC4', 32: 'SP' };
/** Commands whose third byte says which one it is, as a letter or as a number. */
const BY_LETTER = /^(ESC c|FS a|FS g|GS C|GS D|GS g|GS v|GS 8|GS Q)$/;
const BY_NUMBER = /^(DLE .*|GS k)$/;
/** Functions of GS ( that stand behind another parameter. */
const SECOND_PARAMETER = 'CGL';

const spelled = (byte: number): string =>
  SECONDS[byte] ?? (byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `${byte}`);

/** As `ESC a`, `GS k 73`, `GS ( L 112`, `GS ( k 49 81`. */
export const commandName = (head: Uint8Array, payload: Uint8Array): string => {
  const [lead = 0, second = 0, third] = head;
  const name = `${LEADS[lead] ?? lead} ${spelled(second)}`;
  if (third === undefined) return name;
  if (second === 0x28) {
    const kind = String.fromCharCode(third);
    const from = SECOND_PARAMETER.includes(kind) ? 1 : 0;
    return [name, kind, ...payload.subarray(from, kind === 'k' ? 2 : from + 1)].join(' ');
  }
  if (BY_NUMBER.test(name)) return `${name} ${third}`;
  return BY_LETTER.test(name) ? `${name} ${spelled(third)}` : name;
};
