/** What the virtual scale says in each protocol: written from the manuals that the codecs name, and from nothing of theirs. */

/** The state of the scale, as it is put into words. */
export interface Weighed {
  readonly grams: number;
  readonly moves: boolean;
  /** Grams over which it does not weigh. */
  readonly most: number;
}

interface Talk {
  /** Answers what a host has sent; '' for what it does not know. */
  answer(sent: string, state: Weighed): string;
  /** Seven data bits and even parity: the eighth bit of what is read with eight. */
  readonly parity: boolean;
}

const kilograms = (grams: number) => (Math.abs(grams) / 1000).toFixed(3);
const padded = (text: string, length: number) => text.padStart(length, '0');

function toledo(sent: string, { grams, moves, most }: Weighed): string {
  if (sent !== 'W') return '\x02?\x60\r';
  const bits = (moves ? 1 : 0) | (grams > most ? 2 : 0) | (grams < 0 ? 4 : 0);
  return bits === 0 ? `\x02${padded(kilograms(grams), 6)}\r` : `\x02?${String.fromCharCode(0x60 | bits)}\r`;
}

function sics(sent: string, { grams, moves, most }: Weighed): string {
  if (sent !== 'SI\r\n') return 'ES\r\n';
  if (grams > most) return 'S +\r\n';
  const weight = `${grams < 0 ? '-' : ''}${kilograms(grams)}`;
  return `S ${moves ? 'D' : 'S'} ${weight.padStart(10)} kg\r\n`;
}

function nci(sent: string, { grams, moves, most }: Weighed): string {
  if (sent !== 'W\r') return '\n?\r\x03';
  const first = 0x30 | (moves ? 1 : 0) | (grams === 0 ? 2 : 0);
  const second = 0x30 | (grams < 0 ? 1 : 0) | (grams > most ? 2 : 0);
  const status = `\n${String.fromCharCode(first, second)}\r\x03`;
  return grams < 0 || grams > most ? status : `\n${padded(kilograms(grams), 7)}KG\r${status}`;
}

function cas(sent: string, { grams, moves, most }: Weighed): string {
  if (sent === '\x05') return '\x06';
  if (sent !== '\x11') return '';
  const over = grams > most;
  const block = `${moves ? 'U' : 'S'}${over ? 'F' : grams < 0 ? '-' : ' '}${over ? 'FFFFFF' : padded(kilograms(grams), 6)}kg`;
  const check = [...block].reduce((sum, character) => sum ^ character.charCodeAt(0), 0);
  return `\x01\x02${block}${String.fromCharCode(check)}\x03\x04`;
}

function stream(_sent: string, { grams, moves, most }: Weighed): string {
  const sign = grams < 0 ? '-' : '+';
  const state = grams > most ? 'OL' : moves ? 'US' : 'ST';
  return `${state},GS,${sign}${kilograms(grams).padStart(7)}kg\r\n`;
}

/** By protocol; `scale-stream` sends what it says by itself. */
export const TALKS: Readonly<Record<string, Talk>> = {
  'toledo-8217': { answer: toledo, parity: true },
  'mt-sics': { answer: sics, parity: false },
  nci: { answer: nci, parity: true },
  'cas-pd2': { answer: cas, parity: true },
  'scale-stream': { answer: stream, parity: false },
};

/** Bytes with even parity in the eighth bit, as a line of 7E1 is read with 8N1. */
export const withParity = (text: string): Uint8Array =>
  Uint8Array.from(text, (character) => {
    let ones = 0;
    const byte = character.charCodeAt(0);
    for (let bit = 0; bit < 7; bit += 1) ones += (byte >> bit) & 1;
    return byte | ((ones & 1) << 7);
  });

/** Bytes as a line of another speed reads them: as many, and nothing of what they were. */
export const atAnotherSpeed = (text: string): Uint8Array =>
  Uint8Array.from(text, (character) => 0x80 | ((character.charCodeAt(0) * 29 + 0x1c) & 0x70));
