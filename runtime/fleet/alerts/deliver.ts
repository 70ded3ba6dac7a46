/** Tells alerts: takes what is due from the table `delivery`, sends it, and tries again where that fails. */
import { backoff } from '../../base/backoff.ts';
import { signatureOf } from '../../http/delivery.ts';
import { Outbound } from '../../http/outbound.ts';
import type { Refuses } from '../../http/targets.ts';
import type { Queries } from '../database/database.ts';
import type { Settings } from '../settings/contract.ts';
import { readSettings } from '../settings/settings.ts';
import { inSpan } from '../traces/spans.ts';
import type { AlertMessage } from './contract.ts';
import { mailOf } from './mail.ts';
import { RefusedMessage, sendMail } from './smtp.ts';
import type { Channel } from './subjects.ts';

/** Nobody else tries for so long, and a send takes less. */
const LEASE_SECONDS = 60;
const SEND_MS = 15_000;
/** The first time to wait after a failure; twice as long with each, up to five minutes. */
const RETRY_SECONDS = 15;
const RETRY_MAX_SECONDS = 300;
/** After that it is given up: who was away for so long looks at the page. */
const GIVE_UP_HOURS = 24;
/** A message that the receiver refuses for itself is given up after so many times: those behind it may be taken. */
const REFUSED_TIMES = 3;
/** Answers that say so: the body is wrong, too large, of no type that is taken, or cannot be worked on (RFC 9110, 15.5). */
const REFUSED_STATUS: readonly number[] = [400, 413, 415, 422];

interface Due {
  readonly id: number;
  readonly channel: Channel;
  readonly message: Omit<AlertMessage, 'id' | 'at'>;
  readonly made_at: Date;
  /** Whether it is tried for the last time. */
  readonly is_over: boolean;
  readonly attempts: number;
}

// In their order: an end that overtakes its beginning would leave an alert open at the receiver.
const TAKE = `UPDATE delivery SET next_at = now() + interval '${LEASE_SECONDS} seconds', attempts = attempts + 1
  WHERE id = (SELECT id FROM delivery AS due WHERE done_at IS NULL AND next_at <= now() AND NOT EXISTS (
      SELECT FROM delivery AS earlier WHERE earlier.done_at IS NULL AND earlier.channel = due.channel AND earlier.id < due.id)
      AND channel = $1
    ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING id, channel, message, made_at, made_at < now() - interval '${GIVE_UP_HOURS} hours' AS is_over, attempts`;

/** Sends what is due by a channel, one after the other, until nothing is, or the signal is aborted. */
export async function deliver(
  database: Queries,
  channel: Channel,
  refuses: Refuses,
  signal: AbortSignal,
): Promise<void> {
  const outbound = new Outbound({ refuses });
  while (!signal.aborted) {
    const [due] = await database.query<Due>(TAKE, [channel]);
    if (due === undefined) return;
    const settings = await readSettings(database);
    const sent = inSpan(
      { name: `deliver ${channel}`, kind: 'client', attributes: { 'fleet.attempt': due.attempts }, isRoot: true },
      () => send(settings, due, { outbound, refuses, signal }),
    );
    const { done, fault } = await sent.then(
      (refused) => ({ done: true, fault: refused }),
      (error: Error) => ({
        done: error instanceof RefusedMessage && due.attempts >= REFUSED_TIMES,
        fault: error.message.slice(0, 200),
      }),
    );
    const wait = backoff(due.attempts, RETRY_SECONDS, RETRY_MAX_SECONDS);
    await database.query(
      `UPDATE delivery SET fault = $2, done_at = CASE WHEN $3 THEN now() END,
         next_at = now() + $4::float8 * interval '1 second' WHERE id = $1`,
      [due.id, fault ?? null, done || due.is_over, wait],
    );
  }
}

/** Sends one message by its channel. Resolves with what some of its receivers said against it; rejects where none took it. */
async function send(
  { alerts }: Settings,
  { id, channel, message, made_at }: Due,
  {
    outbound,
    refuses,
    signal,
  }: { readonly outbound: Outbound; readonly refuses: Refuses; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const whole: AlertMessage = { id, at: made_at.toISOString(), ...message };
  if (channel === 'mail') {
    const { server, to } = alerts.mail;
    if (server === '' || to.length === 0) return undefined;
    return sendMail({ ...alerts.mail, timeoutMs: SEND_MS, refuses, signal }, mailOf(whole, alerts.mail));
  }
  const { url, secret } = alerts.webhook;
  if (url === '') return undefined;
  const body = JSON.stringify(whole);
  const status = await outbound.post({
    url,
    body,
    headers: {
      'Content-Type': 'application/json',
      'X-NODE-Signature': signatureOf(body, secret),
      'Idempotency-Key': `alerts-${id}`,
    },
    deadlineMs: SEND_MS,
    signal,
  });
  if (REFUSED_STATUS.includes(status)) throw new RefusedMessage(`the receiver answered ${status}`);
  if (status < 200 || status > 299) throw new Error(`the receiver answered ${status}`);
  return undefined;
}
