/** `tillnode serial`. */
import { SAID_UNITS } from '../../codecs/serial-scale.ts';
import { SCALE_PROTOCOLS } from '../../codecs/serial-scales.ts';
import { type CliCommand, type CliContext, UsageError } from '../../runtime/cli/command.ts';
import { clean, json, writeOut } from '../../runtime/cli/terminal.ts';

const serial: CliCommand = {
  usage: '[PORT|SERIAL PROTOCOL|try|off [UNIT]]',
  summary: 'serial adapters, and what hangs on them; try asks in each protocol of scales',
  positionals: [0, 3],
  async run(context, [key, what, said]) {
    if (key === undefined) return list(context);
    if (what === undefined) throw new UsageError('serial: say what hangs on it, or try, or off');
    if (what === 'try') return attempt(context, key);
    const protocol = SCALE_PROTOCOLS.find((name) => name === what);
    if (protocol === undefined && what !== 'off')
      throw new UsageError(`serial: no protocol ${clean(what)}; there are ${SCALE_PROTOCOLS.join(', ')}`);
    const unit = SAID_UNITS.find((name) => name === said);
    if (said !== undefined && (unit === undefined || protocol === undefined))
      throw new UsageError(`serial: no unit ${clean(said)}; there are ${SAID_UNITS.join(', ')}`);
    const assignment = protocol === undefined ? null : ({ kind: 'scale', protocol, ...(unit && { unit }) } as const);
    const { serial: stored } = await context.client.configure({ serial: { [key]: assignment } }, context);
    const hangs = protocol === undefined ? 'nothing' : `a scale, ${[protocol, unit].filter(Boolean).join(', ')}`;
    writeOut(context.json ? json({ serial: stored }) : `${key}: ${hangs}`);
  },
};

async function list(context: CliContext): Promise<void> {
  const answer = await context.client.serial(context);
  if (context.json) return writeOut(json(answer));
  if (answer.adapters.length === 0) writeOut('no serial adapter');
  for (const { port, serial: number, adapter, make, model, kind, protocol, unit, endpoint } of answer.adapters) {
    const name = [make, model].filter((word) => word !== '').join(' ');
    const hangs =
      kind === undefined ? (endpoint ?? 'nothing assigned') : [kind, protocol, unit].filter(Boolean).join(', ');
    writeOut(clean(`${port}${number ? ` (${number})` : ''}: ${adapter}${name ? `, ${name}` : ''}: ${hangs}`));
  }
  if (answer.adapters.length > 0) writeOut(`protocols: ${SCALE_PROTOCOLS.join(', ')}`);
}

async function attempt(context: CliContext, port: string): Promise<void> {
  const answer = await context.client.trySerial(port, context);
  if (context.json) return writeOut(json(answer));
  for (const { protocol, heard, weight, unit } of answer.tried)
    writeOut(clean(`${protocol}: ${heard}${typeof weight === 'number' ? `, ${weight} ${unit ?? ''}` : ''}`));
  writeOut(answer.protocol === undefined ? 'no protocol was understood' : `it is ${answer.protocol}`);
}

export const commands = { serial };
