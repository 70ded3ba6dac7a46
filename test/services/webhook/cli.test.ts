/** The secret of the webhook on the command line. */
import { expect, it } from 'vitest';
import { onTwin } from '../../cli/on-twin.ts';

const twin = onTwin();

it('the secret of the webhook is stored, whatever it consists of, and never shown', async () => {
  for (const secret of ['sesame', '12345678']) {
    expect((await twin.run('config', 'webhook.secret', secret)).out).toBe('true\n');
    expect((await twin.run('config')).out).not.toContain(secret);
  }
});
