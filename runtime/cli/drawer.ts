/** `tillnode drawer`. */
import { randomUUID } from 'node:crypto';
import type { Command } from './command.ts';
import { clean, json, paint, say } from './terminal.ts';

/** Opens the cash drawer of the endpoint `receipt`. */
export const drawer: Command = {
  usage: '',
  summary: 'kick the cash drawer open',
  async run(context) {
    const kick = { type: 'drawer_kick', id: randomUUID(), endpoint: 'receipt' } as const;
    const result = await context.client.kickDrawer(kick, context);
    say(
      context.json ? json(result) : `${paint('green', 'kicked')} ${clean(result.endpoint)} ${clean(result.commandId)}`,
    );
  },
};
