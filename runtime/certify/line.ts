/** What a recording shows of a device on a serial line: what it says to each question, or by itself, without its values. */
import { decodeBase64 } from '../../codecs/base64.ts';
import type { CapturedRecord } from './anonymous.ts';

/** Packets in hexadecimal. */
export interface PacketsSaid {
  /** Packets that it sent without being asked. */
  readonly reports: string[];
  /** By what was sent to it. */
  readonly answers: Record<string, string[]>;
}

/** Questions are asked further apart, and an equal one leaves no record of its own. */
const ANSWER_MS = 200;
const MAX_QUESTIONS = 16;
const MAX_PACKETS = 16;

/** `replaced`: puts other values in the place of those of a packet. */
export function saidOnLine(
  records: readonly CapturedRecord[],
  replaced: (bytes: Uint8Array) => Uint8Array,
): PacketsSaid {
  const reports: string[] = [];
  const answers = new Map<string, string[]>();
  let asked: { readonly tMs: number; readonly answer: string[] } | undefined;
  for (const { direction, pipe, fault, tMs, data } of records) {
    if (pipe === undefined || fault) continue;
    if (direction === 'out') {
      const question = hexOf(bytesOf(data));
      asked = answers.has(question) || answers.size === MAX_QUESTIONS ? undefined : { tMs, answer: [] };
      if (asked !== undefined) answers.set(question, asked.answer);
    } else if (direction === 'in') {
      const packet = hexOf(replaced(bytesOf(data)));
      if (answers.size === 0) reports.push(packet);
      else if (asked !== undefined && tMs - asked.tMs < ANSWER_MS && asked.answer.length < MAX_PACKETS)
        asked.answer.push(packet);
    }
  }
  return answers.size === 0 ? { reports, answers: {} } : { reports: [], answers: Object.fromEntries(answers) };
}

/** A number of a weight, pounds before their ounces included; shorter ones are lamps and states of the protocols. */
const NUMBER = /\d*\.\d+|\d{3,}|\d+(?=:| *lb)/gi;

/** A packet of a scale: each digit of a number that is not 0 is a 1. The eighth bit may be parity, and stays. */
export function textOfScale(bytes: Uint8Array): Uint8Array {
  const text = String.fromCharCode(...bytes.map((byte) => byte & 0x7f));
  const ones = text.replace(NUMBER, (number) => number.replace(/[1-9]/g, '1'));
  return bytes.map((byte, at) => (byte & 0x80) | ones.charCodeAt(at));
}

/** A packet of a scanner: letters and digits are an A, an a or a 1. */
export const textOfRead = (bytes: Uint8Array): Uint8Array => bytes.map(character);

/** Letters and digits, and all beyond ASCII, as an A, an a or a 1. */
export function character(code: number): number {
  const byte = code & 0xff;
  if (byte >= 0x30 && byte <= 0x39) return 0x31;
  if (byte >= 0x41 && byte <= 0x5a) return 0x41;
  return (byte >= 0x61 && byte <= 0x7a) || byte >= 0x80 ? 0x61 : byte;
}

/** Bytes of a record. */
export const bytesOf = (base64: string): Uint8Array => decodeBase64(base64) ?? new Uint8Array(0);
/** As hexadecimal digits. */
export const hexOf = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
