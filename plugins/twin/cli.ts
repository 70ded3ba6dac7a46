/** `tillnode act`. */
import { defined } from '../../runtime/base/defined.ts';
import { type CliCommand, UsageError } from '../../runtime/cli/command.ts';
import { clean, json, table, writeOut } from '../../runtime/cli/terminal.ts';

const USAGE = '[DEVICE ACTION [ARG]]';

const act: CliCommand = {
  usage: USAGE,
  summary: 'of the twin: what can be done with its devices, or does it',
  positionals: [0, 3],
  async run(context, [device, action, text]) {
    const { devices } = await context.client.twin.devices(context);
    const known = devices.flatMap(({ name, actions = [], words = {} }) =>
      actions.map(({ name: does, argument }) => ({
        ...{ device: name, action: does, words: words['en']?.[does] ?? '' },
        ...(argument && { argument: argument.default }),
      })),
    );
    if (device === undefined) {
      if (context.json) return writeOut(json(known));
      const rows = known.map((each) => [each.device, each.action, each.argument ?? '', each.words].map(clean));
      return writeOut(table(['device', 'action', 'argument', ''], rows));
    }
    if (action === undefined) throw new UsageError(`usage: tillnode act ${USAGE}`);
    const usual = known.find((each) => each.device === device && each.action === action)?.argument;
    const argument = text === undefined || typeof usual === 'string' ? text : valueIn(text);
    const what = { device, action, ...defined({ argument }) };
    const { state } = await context.client.twin.act(what, context);
    writeOut(json(context.json ? { ok: true, ...(state && { state }) } : (state ?? 'done')));
  },
};

/** A number, `true` or `false`; else the text itself. */
function valueIn(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
}

export const commands = { act };
