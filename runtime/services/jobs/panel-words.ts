/** What a job is called, and what came of it: of a receipt, of the drawer, or of a command of another room. */
import type { Table } from '../../base/language.ts';
import { speech } from '../../base/speech.ts';
import { commandWords } from '../../page/kit/sentences.ts';
import type { RecentJob } from './contract.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech<Table>(words);

/** Kinds of jobs that put something on receipt paper; the others are the drawer, and commands of other rooms by their type. */
const RECEIPTS: readonly string[] = ['print', 'raw', 'port9100', 'ipp', 'epos', 'compose'];

/** Whether paper is looked at to know what came of it. */
export const isReceipt = ({ kind }: Pick<RecentJob, 'kind'>): boolean => RECEIPTS.includes(kind);

/** What a job is called: a command of another room as that room calls it. */
export const kindOf = ({ kind }: Pick<RecentJob, 'kind'>): string =>
  isReceipt({ kind }) || kind === 'drawer_kick' ? (say.find(kind) ?? kind) : commandWords(kind);

/** A word of this room as it is said of such a job: of a receipt, of the drawer, or of a command of another room. */
export function ofKind(
  word: string,
  { kind }: Pick<RecentJob, 'kind'>,
  values: Readonly<Record<string, string>> = {},
): string {
  const own = isReceipt({ kind }) ? word : `${word}_${kind === 'drawer_kick' ? kind : 'command'}`;
  return say(say.find(own) === undefined ? word : own, values);
}
