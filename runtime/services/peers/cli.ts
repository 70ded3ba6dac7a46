/** `tillnode name [NAME]`. */
import type { Command } from '../../cli/command.ts';
import { clean, json, say } from '../../cli/terminal.ts';

const name: Command = {
  usage: '[NAME]',
  summary: 'the name of the node, or gives it one',
  positionals: [0, 1],
  async run(context, [wanted]) {
    const { client } = context;
    const given =
      wanted === undefined ? (await client.status(context)).identity.name : (await client.rename(wanted, context)).name;
    say(context.json ? json({ name: given ?? null }) : clean(given ?? 'it has no name'));
  },
};

export const commands = { name };
