import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../runtime/client/client.ts';

const SECRET = 'sésame';
const text = '{"node":"0badcafe","seq":1,"uptimeMs":5,"event":{"type":"command_result","commandId":"é"}}';
const body = Buffer.from(text);
const sign = (secret: string, bytes: Uint8Array) =>
  `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`;

describe('verifyWebhook()', () => {
  it('gives the message whose bytes were signed with the secret', async () => {
    const message = await verifyWebhook(body, sign(SECRET, body), SECRET);
    expect(message).toEqual(JSON.parse(text));
    if (message?.event.type === 'command_result') expect(message.event.commandId).toBe('é');
    expect(
      await verifyWebhook(
        body,
        sign(SECRET, body).replace(/[a-f]/g, (digit) => digit.toUpperCase()),
        SECRET,
      ),
    ).toEqual(message);
  });

  it('refuses what is not signed, with another secret, or for other bytes', async () => {
    const good = sign(SECRET, body);
    const wrong = [
      undefined,
      null,
      '',
      'sha256=',
      'sha256=00',
      good.slice(7),
      `${good}0`,
      `${good},${good}`,
      sign('', body),
    ];
    for (const signature of [...wrong, sign('other', body), good.replace(/.$/, (last) => (last === '0' ? '1' : '0'))])
      expect(await verifyWebhook(body, signature, SECRET)).toBeUndefined();
    for (let at = 0; at < 32; at += 1) {
      const digits = good.slice(7).split('');
      digits[at * 2] = digits[at * 2] === '0' ? '1' : '0';
      expect(await verifyWebhook(body, `sha256=${digits.join('')}`, SECRET)).toBeUndefined();
    }
    expect(await verifyWebhook(Buffer.from(text.replace('é', 'e')), good, SECRET)).toBeUndefined();
  });

  it('refuses everything where no secret is set, and what is not JSON', async () => {
    expect(await verifyWebhook(body, sign('', body), '')).toBeUndefined();
    expect(await verifyWebhook(body, 'sha256=', '')).toBeUndefined();
    for (const bytes of [Buffer.from('{'), Buffer.from([0xff])])
      expect(await verifyWebhook(bytes, sign(SECRET, bytes), SECRET)).toBeUndefined();
  });
});
