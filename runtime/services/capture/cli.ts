/** `tillnode capture`. */
import type { CliCommand } from '../../cli/command.ts';
import { json, writeOut } from '../../cli/terminal.ts';

const capture: CliCommand = {
  usage: '',
  summary: 'the diagnostic ring, oldest first, one line of JSON for each record',
  async run(context) {
    for await (const record of context.client.capture(context)) writeOut(json(record));
  },
};

export const commands = { capture };
