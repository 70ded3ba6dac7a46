/** `tillnode certify`. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { tours } from 'virtual:tours';
import { answersFrom, faultIn } from '../../certify/answers.ts';
import { type Host, certify as run } from '../../certify/certify.ts';
import { pageOf } from '../../certify/symbols.ts';
import { atTerminal } from '../../certify/terminal.ts';
import { QUESTIONS, type Tour } from '../../certify/tour.ts';
import { type CliCommand, type CliContext, UsageError } from '../../cli/command.ts';
import { clean, json, paint, writeOut } from '../../cli/terminal.ts';

const CODES = 'certify-codes.html';
const WAIT_SECONDS = 300;

/** Goes through the steps of a kind with the person who has the device, and writes the certificate. */
const certify: CliCommand = {
  usage: '',
  summary: `make a certificate of a device: [--kind ${tours.map(({ kind }) => kind).join('|')}] [--answers FILE] [--out FILE]`,
  options: { kind: { type: 'string' }, answers: { type: 'string' }, out: { type: 'string' } },
  async run(context) {
    const { client, values, signal } = context;
    const tour = await tourOf(context);
    const out = String(values['out'] ?? `certificate-${tour.kind}.json`);
    if (existsSync(out)) throw new UsageError(`${out} is there already; --out FILE names another`);
    if (!existsSync(dirname(out))) throw new UsageError(`--out: there is no folder ${dirname(out)}`);
    const asks =
      values['answers'] === undefined ? atTerminal : answersIn(String(values['answers']), tour, context.json);
    const host: Host = {
      ...asks,
      step: (title) => context.json || writeOut(`\n${paint('dim', `- ${title} -`)}`),
      show: async (codes) => {
        writeFileSync(CODES, pageOf(codes));
        if (!context.json) writeOut(`The codes are in ${CODES}: open it in a browser.`);
      },
    };
    const codesWereThere = existsSync(CODES);
    try {
      const certificate = await run({
        tour,
        client,
        host,
        signal,
        waitMs: (context.timeout ?? WAIT_SECONDS) * 1000,
      });
      writeFileSync(out, `${JSON.stringify(certificate, null, 2)}\n`, { flag: 'wx' });
      if (context.json) return writeOut(json({ ok: true, file: out, report: certificate.report }));
      writeOut(`\n${certificate.report.map(clean).join('\n')}`);
      writeOut(
        `\n${paint('green', 'wrote')} ${out}. Nothing in it names you, your shop or this node. Send it in: an issue "My device".`,
      );
    } finally {
      if (!codesWereThere) rmSync(CODES, { force: true });
    }
  },
};

async function tourOf({ client, values, signal }: CliContext): Promise<Tour> {
  const kinds = tours.map(({ kind }) => kind).join(', ');
  const { peripherals } = await client.status({ signal });
  const driven = tours.filter(({ kind }) =>
    peripherals.some((each) => each.kind === kind && (each.condition === 'bound' || each.condition === 'silent')),
  );
  const named = values['kind'];
  const [found, ...more] = named === undefined ? driven : tours.filter(({ kind }) => kind === named);
  if (named !== undefined && found === undefined) throw new UsageError(`--kind takes one of ${kinds}`);
  if (found === undefined) throw new UsageError(`the node drives none of ${kinds}; plug one in`);
  if (more.length === 0) return found;
  const choices = Object.fromEntries(driven.map(({ kind }) => [kind, `the ${kind}`]));
  if (values['answers'] !== undefined)
    throw new UsageError(`the node drives several devices: --kind takes ${Object.keys(choices).join(' or ')}`);
  const chosen = await atTerminal.ask({ id: 'kind', text: 'Which device?', choices }, signal);
  return driven.find(({ kind }) => kind === chosen) ?? found;
}

function answersIn(file: string, { questions }: Tour, quiet: boolean): Pick<Host, 'ask'> {
  let answers: unknown;
  try {
    answers = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`);
  }
  const fault = faultIn(answers, [...QUESTIONS, ...questions]);
  if (fault !== undefined) throw new UsageError(`${file}: ${fault}`);
  return answersFrom(answers as Record<string, string>, ({ id, text }, answer) => {
    writeOut(quiet ? json({ question: id, answer }) : `${id}: ${clean(text)} ${answer}`);
  });
}

export const commands = { certify };
