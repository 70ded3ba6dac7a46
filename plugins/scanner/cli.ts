/** `tillnode scan`. */
import type { CliCommand } from '../../runtime/cli/command.ts';
import { clean, json, table, writeOut } from '../../runtime/cli/terminal.ts';

const scan: CliCommand = {
  usage: '',
  summary: 'the last reads of the scanner, newest first, each with its verdict',
  async run(context) {
    const answer = await context.client.scans(context);
    if (context.json) return writeOut(json(answer));
    if (answer.scans.length === 0) return writeOut('nothing was read');
    const rows = answer.scans.map(({ ageMs, verdict, suspect, symbology, value }) =>
      [
        `${(Number(ageMs) / 1000).toFixed(1)} s`,
        suspect ? `${verdict}, suspect: ${suspect}` : verdict,
        symbology,
        value,
      ].map(clean),
    );
    writeOut(table(['ago', 'verdict', 'symbology', 'value'], rows));
  },
};

export const commands = { scan };
