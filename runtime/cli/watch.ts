/** `tillnode watch`. */
import type { CliCommand } from './command.ts';
import { clean, json, paint, writeOut } from './terminal.ts';

/** Writes every event as one line, until Ctrl-C or until the node refuses. */
export const watch: CliCommand = {
  usage: '',
  summary: 'every event as it happens, one line each, until Ctrl-C',
  async run(context) {
    for await (const event of context.client.events(context)) {
      const { type, ...fields } = event;
      const time = new Date().toLocaleTimeString('en-GB');
      writeOut(context.json ? json(event) : `${paint('dim', time)} ${paint('bold', clean(type))} ${json(fields)}`);
    }
  },
};
