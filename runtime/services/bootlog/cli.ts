/** `tillnode log`. */
import type { CliCommand } from '../../cli/command.ts';
import { clean, json, table, writeOut } from '../../cli/terminal.ts';

const log: CliCommand = {
  usage: '',
  summary: 'the last runs of the node, newest first, and its last crash',
  async run(context) {
    const answer = await context.client.bootlog(context);
    if (context.json) return writeOut(json(answer));
    // The newest is the run that answers.
    const rows = answer.boots.map(({ bootId, reason, slot, firmwareVersion, uptimeSeconds, clean: inOrder }, index) =>
      [
        ...[bootId, reason, slot, firmwareVersion, `${Number(uptimeSeconds)} s`],
        index === 0 ? 'running' : inOrder ? 'yes' : 'no',
      ].map(clean),
    );
    writeOut(table(['run', 'started by', 'slot', 'version', 'ran', 'stopped in order'], rows));
    const { off = [] } = answer.boots[0] ?? {};
    if (off.length > 0)
      writeOut(`\noff, as they could not start: ${off.map(clean).join(', ')} (faults of GET /status)`);
    if (answer.crash === null) return;
    const { reason, time, name, message, detail, stack = [] } = answer.crash;
    writeOut(`\nlast crash: ${[reason, time, name, message, detail].filter(Boolean).map(clean).join(', ')}`);
    for (const line of stack) writeOut(`  ${clean(line)}`);
  },
};

export const commands = { log };
