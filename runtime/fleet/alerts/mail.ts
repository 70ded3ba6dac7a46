/** The e-mail that tells alerts, as nodemailer takes it, in the language of the settings. */
import type { SendMailOptions } from 'nodemailer';
import { directionOf, filled, type Language } from '../../base/language.ts';
import type { Alert, AlertMessage } from './contract.ts';
import { isOfFleet } from './subjects.ts';
import { words } from './words/index.ts';

type Words = (typeof words)[Language];

/** Says things in a language; values from elsewhere keep their own direction in one from right to left (Unicode Annex 9, 2.4). */
function speaker(language: Language) {
  const show = (value: string | number) => (directionOf(language) === 'rtl' ? `\u2068${value}\u2069` : String(value));
  return (key: keyof Words, values: Readonly<Record<string, string | number>>) =>
    filled(words[language][key], values, show);
}
type Say = ReturnType<typeof speaker>;

/** What an alert is about: a person knows a node by its name, and programs by the id behind that. */
function subjectOf(say: Say, { rule, subject, name, site }: Alert): string {
  if (rule.startsWith('rollout_')) return say('rollout', { id: subject.replace(/\D+/g, '') });
  if (isOfFleet(rule)) return say('fleet', {});
  // Control characters would begin another line.
  const named = name === '' ? subject : `${name.replace(/\p{C}/gu, ' ')} (${subject})`;
  return site === null ? named : say('at', { subject: named, site });
}

/** The alert as a sentence; a rule of another version of the fleet by its code. */
function sentenceOf(say: Say, alert: Alert): string {
  const subject = subjectOf(say, alert);
  const { rule } = alert;
  return Object.hasOwn(words.en, rule) ? say(rule as keyof Words, { subject }) : `${subject}: ${rule}`;
}

/** One mail for all that a message tells. */
export function mailOf(
  message: AlertMessage,
  { from, to, language }: { readonly from: string; readonly to: readonly string[]; readonly language: Language },
): SendMailOptions {
  const { id, at, begun, ended, more } = message;
  const say = speaker(language);
  const sentence = (alert: Alert) => sentenceOf(say, alert);
  const [began, over] = [begun[0], ended[0]];
  const first = began !== undefined ? sentence(began) : over && say('over', { sentence: sentence(over) });
  const others = begun.length + ended.length + more - 1;
  const lines = [
    ...begun.map((alert) => say('since', { time: alert.began, sentence: sentence(alert) })),
    ...ended.map((alert) => say('overSince', { time: alert.ended ?? '', sentence: sentence(alert) })),
    ...(more > 0 ? [say('more', { n: more })] : []),
  ];
  return {
    // As they are: an address is not a list, whatever is in it.
    from: { name: '', address: from },
    to: to.map((address) => ({ name: '', address })),
    subject: others > 0 ? say('withMore', { first: first ?? '', n: others }) : (first ?? ''),
    date: new Date(at),
    // The same message keeps its id when it is sent again.
    messageId: `<alerts-${id}-${Date.parse(at)}@${from.split('@')[1] ?? 'fleet'}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    text: `${lines.join('\n')}\n`,
    textEncoding: 'base64',
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
