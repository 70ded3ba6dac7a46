/** Tells alerts: takes what is due from the table `delivery`, sends it, and tries again where that fails. */
import { createHmac } from 'node:crypto';
import type { Database } from '../database/database.ts';
import type { Settings } from '../settings/contract.ts';
import { readSettings } from '../settings/settings.ts';
import type { AlertMessage } from './contract.ts';
import { mailOf } from './mail.ts';
import { sendMail } from './smtp.ts';

/** Nobody else tries for so long, and a send takes less. */
const LEASE_SECONDS = 60;
const SEND_MS = 15_000;
/** The first time to wait after a failure; twice as long with each, up to an hour. */
const RETRY_SECONDS = 15;
/** After that it is given up: who was away for so long looks at the page. */
const GIVE_UP_HOURS = 24;

interface Due {
  readonly id: number;
  readonly channel: 'webhook' | 'mail';
  readonly message: Omit<AlertMessage, 'id' | 'at'>;
  readonly made_at: Date;
  readonly attempts: number;
}

const TAKE = `UPDATE delivery SET next_at = now() + interval '${LEASE_SECONDS} seconds', attempts = attempts + 1
  WHERE id = (SELECT id FROM delivery WHERE done_at IS NULL AND next_at <= now() ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING id, channel, message, made_at, attempts`;

/** Sends what is due, one after the other, until nothing is. */
export async function deliver(database: Database): Promise<void> {
  for (;;) {
    const [due] = await database.query<Due>(TAKE);
    if (due === undefined) return;
    const fault = await send(await readSettings(database), due).then(
      () => undefined,
      (error: Error) => error.message.slice(0, 200),
    );
    const over = due.made_at.getTime() < Date.now() - GIVE_UP_HOURS * 3_600_000;
    const wait = Math.min(RETRY_SECONDS * 2 ** (due.attempts - 1), 3600);
    await database.query(
      `UPDATE delivery SET fault = $2, done_at = CASE WHEN $3 THEN now() END,
         next_at = now() + $4::float8 * interval '1 second' WHERE id = $1`,
      [due.id, fault ?? null, fault === undefined || over, wait],
    );
  }
}

/** Sends one message by its channel. Rejects where it was not taken. */
async function send({ alerts }: Settings, { id, channel, message, made_at }: Due): Promise<void> {
  const whole: AlertMessage = { id, at: made_at.toISOString(), ...message };
  if (channel === 'mail') {
    const { server, to } = alerts.mail;
    if (server === '' || to.length === 0) return;
    return sendMail({ ...alerts.mail, timeoutMs: SEND_MS }, mailOf(whole, alerts.mail));
  }
  const { url, secret } = alerts.webhook;
  if (url === '') return;
  const body = JSON.stringify(whole);
  const signature = secret === '' ? '' : createHmac('sha256', secret).update(body).digest('hex');
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: {
      'Content-Type': 'application/json',
      'X-NODE-Signature': `sha256=${signature}`,
      'Idempotency-Key': `alerts-${id}`,
    },
    redirect: 'error',
    signal: AbortSignal.timeout(SEND_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the receiver answered ${response.status}`);
}
