/** The e-mail that tells alerts, as nodemailer takes it. */
import type { SendMailOptions } from 'nodemailer';
import type { Alert, AlertMessage, RULES } from './contract.ts';

const WORDS: Readonly<Record<(typeof RULES)[number], string>> = {
  offline: 'is offline',
  no_paper: 'has no paper',
  crash_loop: 'crashes again and again',
  custody_hold: 'is in custody hold',
  rollout_halted: 'was halted',
  rollout_stuck: 'is stuck',
  ingest_refused: 'did not take in what nodes sent',
};
const wordsOf = new Map(Object.entries(WORDS));
/** Whom a person knows by its name and site, with the id for programs; control characters would begin another line. */
const subjectOf = ({ subject, name, site }: Alert) =>
  [
    name === '' ? subject : `${name.replace(/\p{C}/gu, ' ')} (${subject})`,
    ...(site === null ? [] : [`at ${site}`]),
  ].join(' ');
const sentence = (alert: Alert) => `${subjectOf(alert)} ${wordsOf.get(alert.rule) ?? alert.rule}`;

/** One mail for all that a message tells. */
export function mailOf(
  message: AlertMessage,
  { from, to }: { readonly from: string; readonly to: readonly string[] },
): SendMailOptions {
  const { id, at, begun, ended, more } = message;
  const first = begun[0] === undefined ? ended[0] && `over: ${sentence(ended[0])}` : sentence(begun[0]);
  const others = begun.length + ended.length + more - 1;
  const lines = [
    ...begun.map((alert) => `since ${alert.began}: ${sentence(alert)}`),
    ...ended.map((alert) => `over since ${alert.ended}: ${sentence(alert)}`),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
  return {
    // As they are: an address is not a list, whatever is in it.
    from: { name: '', address: from },
    to: to.map((address) => ({ name: '', address })),
    subject: `${first ?? ''}${others > 0 ? ` and ${others} more` : ''}`,
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
