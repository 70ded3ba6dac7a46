/** An e-mail that tells alerts (RFC 5322, MIME in base64). */
import type { Alert, AlertMessage } from './contract.ts';

const WORDS: Readonly<Record<string, string>> = {
  offline: 'is offline',
  no_paper: 'has no paper',
  crash_loop: 'crashes again and again',
  custody_hold: 'is in custody hold',
  rollout_halted: 'was halted',
  ingest_refused: 'did not take in what nodes sent',
};
/** Whom a person knows by its name and site, with the id for programs; control characters would begin another line. */
const subjectOf = ({ subject, name, site }: Alert) =>
  [
    name === '' ? subject : `${name.replace(/\p{C}/gu, ' ')} (${subject})`,
    ...(site === null ? [] : [`at ${site}`]),
  ].join(' ');
const sentence = (alert: Alert) => `${subjectOf(alert)} ${WORDS[alert.rule] ?? alert.rule}`;
/** RFC 2047: a field that is not ASCII is base64 in words of up to 75 characters. */
const encoded = (text: string) =>
  /^[ -~]*$/.test(text)
    ? text
    : (text.match(/.{1,10}/gu) ?? [])
        .map((part) => `=?utf-8?B?${Buffer.from(part).toString('base64')}?=`)
        .join('\r\n ');

/** The mail as text with lines that end in CR LF. */
export function mailOf(message: AlertMessage, { from, to }: { from: string; to: readonly string[] }): string {
  const { id, at, begun, ended, more } = message;
  const first = begun[0] === undefined ? ended[0] && `over: ${sentence(ended[0])}` : sentence(begun[0]);
  const others = begun.length + ended.length + more - 1;
  const lines = [
    ...begun.map((alert) => `since ${alert.began}: ${sentence(alert)}`),
    ...ended.map((alert) => `over since ${alert.ended}: ${sentence(alert)}`),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
  const base64 = Buffer.from(`${lines.join('\r\n')}\r\n`).toString('base64');
  return [
    `From: ${from}`,
    `To: ${to.join(', ')}`,
    `Subject: ${encoded(`${first ?? ''}${others > 0 ? ` and ${others} more` : ''}`)}`,
    `Date: ${new Date(at).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <alerts-${id}-${Date.parse(at)}@${from.split('@')[1] ?? 'fleet'}>`,
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    ...(base64.match(/.{1,76}/g) ?? []),
    '',
  ].join('\r\n');
}
