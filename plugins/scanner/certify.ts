/** How a bar code scanner is certified: five codes, printed or on the screen, are read and compared. */
import type { Code, Question, Run, Step, Tour } from '../../runtime/certify/tour.ts';

/** Digits, capitals and small letters, the signs that keyboard layouts disagree on, accents, and a long one. */
export const CODES: readonly Code[] = [
  { symbology: 'code128', value: '4006381333931' },
  { symbology: 'code128', value: 'Tillnode-AbYz' },
  { symbology: 'code128', value: 'a/b;c:d"e\'f' },
  { symbology: 'qr', value: 'Café Zürich Łódź 5 €' },
  { symbology: 'qr', value: 'https://example.com/certify?text=0123456789-0123456789-0123456789-0123456789' },
];

const NUMBERED = CODES.map((code, at) => ({ ...code, n: at + 1 }));

const questions: readonly Question[] = [
  {
    id: 'where',
    text: 'Where shall the five codes be?',
    choices: { paper: 'printed by the receipt printer of the node', screen: 'in a file, to look at or to print' },
    default: 'screen',
  },
  ...NUMBERED.map(({ n, value }) => ({
    ...{ id: `code-${n}`, text: `Hold code ${n} under the scanner: ${value}`, awaited: true, default: 'do' },
  })),
  ...NUMBERED.map(({ n }) => ({
    ...{ id: `same-${n}`, choices: { yes: 'yes', no: 'no, another one: read it again' }, default: 'yes' },
    text: `Something else was read than is printed. Was it code ${n}? It was read as: `,
  })),
];

async function give(run: Run): Promise<void> {
  const where = await run.ask('where');
  if (where === 'screen') return run.show(CODES);
  const { printers } = await run.client.status();
  const printer = printers.find(({ online }) => online);
  if (printer === undefined) throw new Error('question where: no printer of this node is ready; answer screen');
  const lines = NUMBERED.flatMap(({ n, symbology, value }) => [
    { type: 'text' as const, value: `${n}  ${value}` },
    { type: 'barcode' as const, symbology, value },
    { type: 'feed' as const, lines: 2 },
  ]);
  await run.client.print({
    ...{ type: 'print', id: 'certify-codes', endpoint: printer.endpoint },
    lines: [...lines, { type: 'cut' }],
  });
}

async function read(run: Run, { n, value }: (typeof NUMBERED)[number]): Promise<void> {
  for (;;) {
    const seen = await run.awaited(`code-${n}`, (event) =>
      event.type === 'scan_read' && event.endpoint === run.endpoint
        ? { type: event.type, value: event.value, symbology: event.symbology, symbologySource: event.symbologySource }
        : undefined,
    );
    // What was read instead may be a customer's: nothing of it is kept unless it is the code that is printed.
    if (seen !== undefined && seen.value !== value && (await run.ask(`same-${n}`, seen.value)) === 'no') continue;
    run.fact(`code-${n}`, seen === undefined ? 'not read' : seen.value === value ? 'the same' : 'another text');
    if (seen === undefined) return run.say(`Code ${n} was not read.`);
    run.fact(`symbology-${n}`, `${seen.symbology} (${seen.symbologySource})`);
    return run.say(
      `Code ${n} was read ${seen.value === value ? 'right' : `as ${JSON.stringify(seen.value)} instead of ${JSON.stringify(value)}`}, as ${seen.symbology}.`,
    );
  }
}

const steps: readonly Step[] = [
  { id: 'codes', title: 'Five codes', run: give },
  ...NUMBERED.map((code) => ({ id: `read-${code.n}`, title: `Code ${code.n}`, run: (run: Run) => read(run, code) })),
];

export const tour: Tour = { kind: 'scanner', config: ['scanner'], questions, steps };
