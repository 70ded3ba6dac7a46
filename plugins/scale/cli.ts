/** `tillnode scale`. */
import type { CliCommand } from '../../runtime/cli/command.ts';
import { clean, json, writeOut } from '../../runtime/cli/terminal.ts';

const scale: CliCommand = {
  usage: '',
  summary: 'what the scale says now',
  async run(context) {
    const { status, weight, unit, stable, fault, ...rest } = await context.client.scale(context);
    if (context.json) return writeOut(json({ status, weight, unit, stable, ...(fault && { fault }), ...rest }));
    if (fault !== undefined) return writeOut(`no weight: ${clean(fault)}`);
    if (weight === null) return writeOut(`no weight: the scale is ${clean(status)}`);
    writeOut(`${Number(weight)} ${clean(unit)}${stable ? '' : ', not at rest'}`);
  },
};

export const commands = { scale };
