/**
 * Every command of ESC/POS on every model that a row names: it leaves a mark on the paper, is answered, moves something, or is
 * listed as what this model does not show. None is silent. The streams are those of the corpus.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type EscposOptions, resolveOptions } from '../../../../codecs/escpos.ts';
import { ESCPOS_COMMANDS } from '../../../../codecs/escpos-command-lengths.ts';
import type { Effects } from '../../../../plugins/printer/virtual/commands/command.ts';
import { Interpreter } from '../../../../plugins/printer/virtual/interpreter.ts';
import { paperModelOf } from '../../../../plugins/printer/virtual/paper/model.ts';
import { Paper } from '../../../../plugins/printer/virtual/paper/paper.ts';
import { paperSvg } from '../../../../plugins/printer/virtual/paper/svg.ts';
import { lackKey, lacksOf } from '../../../../plugins/printer/virtual/state/lacks.ts';
import { rows } from '../../../recipes/files.ts';
import { bytesOf, CORPUS, unmarked, without } from './corpus.ts';

/** Models whose commands differ from those of the row of their family. */
const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  'epson-tm-ub-u05': ['TM-T88III', 'TM-T88IV'],
  'epson-tm-u220': ['TM-U220', 'TM-U210B'],
};

interface Model {
  readonly name: string;
  readonly options: EscposOptions;
}

/** One of those whose options make the same of each command. */
const models = new Map<string, Model>();
for (const row of rows.filter(({ codec }) => codec === 'escpos')) {
  const options = resolveOptions(row.options);
  const { twoByte, cutter, endOfPrint, realtimePulseDisable, maxSize } = options;
  for (const name of FAMILIES[row.id] ?? [row.model ?? ''])
    models.set([twoByte, cutter, endOfPrint, realtimePulseDisable, maxSize, FAMILIES[row.id] && name].join(), {
      name,
      options,
    });
}

/** What comes of a stream: its picture, what is listed, and what leaves the printer. */
function outcomeOf(stream: Uint8Array, { options, name }: Model): string {
  const model = paperModelOf(options, name);
  const paper = new Paper(model);
  const left: unknown[] = [];
  const effects = new Proxy({} as Effects, {
    get:
      (_, key) =>
      (...given: unknown[]) =>
        left.push([key, ...given]),
  });
  new Interpreter({ paper, effects }, model).feed(stream);
  paper.finish();
  return JSON.stringify([paperSvg(paper), [...paper.ignored], left]);
}

/** Commands of page mode, which are control characters that nobody obeys where a model has no page mode. */
const OF_PAGES = /^# (?:CAN|FF)/;
const hasPages = ({ options, name }: Model) => lacksOf(options, name).get(lackKey(0x1b, 0x4c)) === undefined;

// Real-time commands are obeyed as they arrive, on every model alike (corpus.test.ts).
const files = readdirSync(CORPUS).filter((file) => file.endsWith('.txt') && !file.startsWith('10'));
const titles = files.map((file) => file.slice(0, -'.txt'.length));
const streams = files.map((file) => {
  const [title = '', , stream = ''] = readFileSync(`${CORPUS}/${file}`, 'utf8').split('\n');
  return { title, whole: bytesOf(unmarked(stream)), rest: bytesOf(without(stream)) };
});

/** What the table of the filter has and the corpus has not, as commands of single makers: with parameters of our own. */
const others = ESCPOS_COMMANDS.flatMap(({ prefix, name }) => {
  const hex = prefix.toLowerCase();
  if (hex.startsWith('10') || titles.some((title) => title.startsWith(hex) || hex.startsWith(title))) return [];
  const around = (command: string) =>
    Buffer.concat([Buffer.from('above\n'), Buffer.from(command, 'hex'), Buffer.from('\n')]);
  return [{ title: name, whole: around(`${hex}0141420000`), rest: around('') }];
});

describe('no command is silent', () => {
  it.each([...models.values()].map((model) => [model.name, model] as const))('on %s', (_, model) => {
    const sent = [...streams, ...others].filter(({ title }) => hasPages(model) || !OF_PAGES.test(title));
    const silent = sent.filter(({ whole, rest }) => outcomeOf(whole, model) === outcomeOf(rest, model));
    expect(silent.map(({ title }) => title)).toEqual([]);
  });
});
