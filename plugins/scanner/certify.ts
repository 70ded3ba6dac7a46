/** How a bar code scanner is certified: five codes, printed or on the screen, are read and compared. */

import { speech } from '../../runtime/base/speech.ts';
import type { Code, Question, Run, Step, Tour } from '../../runtime/certify/tour.ts';
import words from './words/certify/en.json' with { type: 'json' };

const say = speech(words);

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
    text: say('where'),
    choices: { paper: say('paper'), screen: say('screen') },
    default: 'screen',
  },
  ...NUMBERED.map(({ n, symbology, value }) => ({
    ...{ id: `code-${n}`, text: say('hold', { n, value }), awaited: true, default: 'do' },
    code: { symbology, value },
  })),
  ...NUMBERED.map(({ n }) => ({
    ...{ id: `same-${n}`, choices: { yes: say('yes'), no: say('no') }, default: 'no' },
    text: say('same', { n }),
  })),
];

async function give(run: Run): Promise<void> {
  const where = await run.ask('where');
  const { printers } = await run.client.status();
  const printer = where === 'screen' ? undefined : printers.find(({ online }) => online);
  if (printer === undefined) return run.show(CODES);
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
    run.fact(`code-${n}`, seen === undefined ? 'not_read' : seen.value === value ? 'same' : 'other');
    if (seen === undefined) return run.say(say('saidNotRead', { n }));
    const { symbology, symbologySource } = seen;
    run.fact(`symbology-${n}`, `${symbology} (${symbologySource})`);
    return run.say(
      seen.value === value
        ? say('saidRight', { n, symbology })
        : say('saidWrong', { n, symbology, value: JSON.stringify(seen.value), meant: JSON.stringify(value) }),
    );
  }
}

const steps: readonly Step[] = [
  { id: 'codes', title: say('codesStep'), run: give },
  ...NUMBERED.map((code) => ({
    id: `read-${code.n}`,
    title: say('readStep', { n: code.n }),
    run: (run: Run) => read(run, code),
  })),
];

export const tour: Tour = { kind: 'scanner', name: say('name'), config: ['scanner'], questions, steps };
