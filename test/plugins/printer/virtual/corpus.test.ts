/**
 * Every command of ESC/POS through the virtual printer: none is silent. A file of the corpus has what it is, what must come of
 * it, and a stream of hexadecimal bytes and text, in which braces stand around the command itself. Its paper is compared with
 * that of the stream without the command.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { printerOnBus } from './bench.ts';
import { bytesOf, CORPUS, unmarked, without } from './corpus.ts';

const files = readdirSync(CORPUS).filter((name) => name.endsWith('.txt'));

async function made(stream: string, twoByte: string) {
  const { printer, write, read } = await printerOnBus({
    printerModel: { dots: 576, columns: 48, codePages: 'epson', twoByte },
  });
  await write(bytesOf(unmarked(stream)));
  return { printer, svg: printer.paperSvg(), facts: printer.paperFacts(), read };
}

describe('the command', () => {
  it.each(files.map((name) => [basename(name, '.txt'), name]))('%s is not silent', async (_, name) => {
    const [title = '', outcome = '', stream = ''] = readFileSync(`${CORPUS}/${name}`, 'utf8').split('\n');
    expect(title).toMatch(/^# /);
    const twoByte = outcome.includes('shift_jis') ? 'shift_jis' : 'gb18030';
    const { printer, svg, facts, read } = await made(stream, twoByte);
    const [, ignored] = /^# ignored: (.*)$/.exec(outcome) ?? [];
    const [, answer] = /^# answers: ([0-9a-f]+)/.exec(outcome) ?? [];
    if (ignored !== undefined) {
      expect(facts.ignored.map(({ command }) => command)).toContain(ignored);
      expect(svg).toContain(`not shown: `);
      expect(svg.replaceAll('&lt;', '<')).toContain(ignored);
    } else if (answer !== undefined) {
      expect((await read()).map((byte) => byte.toString(16).padStart(2, '0')).join('')).toMatch(
        new RegExp(`^${answer}`),
      );
      expect(facts.ignored).toEqual([]);
    } else if (outcome === '# opens the drawer') expect(printer.pulses).toHaveLength(1);
    else {
      expect(outcome).toMatch(/^# drawn/);
      expect(svg).not.toBe((await made(without(stream), twoByte)).svg);
    }
  });
});
