/** Text as the encoder writes it, read back with the printer's own tables. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAKES, type Make } from '../../codecs/code-pages.ts';
import { resolveOptions } from '../../codecs/escpos.ts';
import { EscposEncoder } from '../../codecs/escpos-encoder.ts';
import { JobTooLarge } from '../../codecs/job-bytes.ts';
import type { Line } from '../../plugins/printer/contract.ts';
import { render } from '../../plugins/printer/layout/layout.ts';
import { ShapedText } from '../../plugins/printer/layout/shaped/shaped-text.ts';
import { glyphsOf } from '../../plugins/printer/virtual/paper/codepages.ts';

const glyph = glyphsOf('epson');

/** The characters a printer with Epson's tables shows; a picture in the line is shown as `#`. */
function shown(bytes: Uint8Array): string {
  let page = 0;
  let text = '';
  for (let at = 0; at < bytes.length; at += 1) {
    const [byte = 0, second = 0, third = 0] = bytes.subarray(at, at + 3);
    if ((byte === 0x1b && second === 0x40) || (byte === 0x1c && second === 0x2e)) at += 1;
    else if (byte === 0x1b && (second === 0x52 || second === 0x61)) at += 2;
    else if (byte === 0x1b && second === 0x74) {
      page = third;
      at += 2;
    } else if (byte === 0x1b && second === 0x2a) {
      at += 4 + 3 * ((bytes[at + 3] ?? 0) + 256 * (bytes[at + 4] ?? 0));
      text += '#';
    } else if (byte === 0x0a) text += '\n';
    else if (byte >= 0x20) text += glyph(byte, page, 0);
    else throw new Error(`control byte ${byte} at ${at}`);
  }
  return text;
}

const settings = { columns: 48, cutClearanceLines: 0 };
const printed = (value: string, make: Make = 'epson') => {
  const line: Line = { type: 'text', value };
  const rendered = render([line], settings, resolveOptions({ codePages: make }), new ShapedText());
  if (!rendered.ok) throw new Error(rendered.detail);
  return { text: shown(rendered.bytes).replace(/\n$/, ''), substituted: rendered.substituted, bytes: rendered.bytes };
};

describe('a buffer that grows', () => {
  it('loses nothing, wherever in a text of rare letters that is', () => {
    const text = `${'a'.repeat(20)}Ω${'b'.repeat(19)}ż${'c'.repeat(9)}❄${'d'.repeat(9)}`;
    const written = (expected: number) => {
      const encoder = new EscposEncoder({ make: 'epson' }, 100_000, expected);
      encoder.initHardware();
      encoder.text(text, 0, text.length);
      encoder.newLine();
      encoder.append(new Uint8Array(40).fill(0x41));
      return Buffer.from(encoder.getBuffer()).toString('hex');
    };
    const whole = written(90_000);
    expect(shown(Buffer.from(whole, 'hex'))).toContain(`Ω${'b'.repeat(19)}ż`);
    for (let expected = 1; expected < 200; expected += 1) expect(written(expected), `${expected} bytes`).toBe(whole);
  });
});

describe('text', () => {
  it.each([
    ['English', 'The quick brown fox, 12 {[\\|~^]} @ #'],
    ['the euro sign', '12,50 € £ ¥'],
    ['Western Europe', 'àâäáãåæçéèêëíîïñóôöõøœßúûüýÿ ÀÉÑÖØŒÜ «¿¡»'],
    ['Polish, Czech, Hungarian', 'Zażółć gęślą jaźń Příliš žluťoučký kůň árvíztűrő'],
    ['Romanian in its older letters', 'Ştiinţă şi ăîâ'],
    ['Greek', 'Ξεσκεπάζω την ψυχοφθόρα Ϊΰ ΆΈΉ'],
    ['Russian', 'Съешь же ещё этих мягких французских булок'],
    ['Ukrainian and Serbian', 'Ґедзь їжак єнот Ђурђевдан Љубав'],
    ['Turkish', 'Şişli İğne ığdır çöğüş'],
    ['Baltic', 'Ąžuolas ėglė šūdžiai Ģirts ķīlis'],
    ['mixed in one line', 'Café Ω жук łódź 5 €'],
    ['typographic punctuation', '‘one’ “two” „three‚ – — … • ™'],
    ['box drawing', '┌─┐│└┘═║'],
  ])('shows %s as it stands', (_, value) => {
    expect(printed(value)).toMatchObject({ text: value, substituted: 0 });
  });

  it('composes accents, however they are typed', () => {
    expect(printed('Cafe\u0301 Z\u030clin A\u030a').text).toBe('Café Žlin Å');
  });

  it('begins with a printer that is reset, in the American set and with its page selected', () => {
    expect([...printed('').bytes]).toEqual([0x1b, 0x40, 0x1b, 0x52, 0, 0x1b, 0x74, 16, 0x0a]);
    expect([...printed('', 'xprinter').bytes.subarray(0, 4)]).toEqual([0x1b, 0x40, 0x1c, 0x2e]);
  });

  it('stays in a page as long as it holds the characters', () => {
    const selections = (value: string) =>
      printed(value).bytes.filter((byte, at, bytes) => byte === 0x74 && bytes[at - 1] === 0x1b).length;
    expect(selections('Café 5 €')).toBe(1);
    expect(selections('Съешь же ещё 12 этих')).toBe(2);
  });

  it('draws what no page has', () => {
    expect(printed('→ ✓ 5 ₺')).toMatchObject({ text: '# # 5 #', substituted: 0 });
    expect(printed('5 €', 'mpt').bytes).toContain(0x88);
  });

  it.each(Object.keys(MAKES) as Make[])('shows Serbian, Macedonian, Ukrainian and Belarusian on %s', (make) => {
    const letters = 'ЂЃЄІЇЈЉЊЋЌЎЏҐЅђѓєіїјљњћќўџґѕ';
    expect(printed(`${letters} Љубичаст џак, Ђорђе њише ћук`, make).substituted).toBe(0);
  });

  it.each(['epson-legacy', 'citizen'] as const)(
    'draws the Serbian letters that %s has on no page, small ones small',
    (make) => {
      const picture = (letter: string) =>
        Buffer.from(printed(letter, make).bytes).toString('latin1').split('\x1b*!')[1];
      const letters = [...'ЂЈЉЊЋЏђјљњћџ'];
      expect(new Set(letters.map(picture)).size).toBe(letters.length);
      // Nothing above the height of a small x: of each column's three bytes the first has the rows above it.
      const above = (letter: string) => [...(picture(letter) ?? '')].slice(2, 38).filter((_, at) => at % 3 === 0);
      for (const small of 'љњџ') expect(new Set(above(small))).toEqual(new Set(['\0']));
    },
  );

  it('prints a question mark for what it can neither print nor draw, and counts it', () => {
    expect(printed('日本 😀 \ufffd a\u0323\u0301')).toMatchObject({ text: '?? ? ? ?', substituted: 5 });
  });

  it('knows spaces, hyphens and invisible characters of Unicode', () => {
    expect(printed('a\u2009b\u2011c\u200bd\u00ade\ufeff\tf')).toMatchObject({ text: 'a b-cde f', substituted: 0 });
    expect(printed('1\u22122')).toMatchObject({ text: '1-2', substituted: 0 });
  });

  it('lets no control character through', () => {
    const controls = Array.from({ length: 0xa0 }, (_, code) => code).filter((code) => code < 0x20 || code >= 0x7f);
    for (const code of controls.filter((each) => ![0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x85].includes(each))) {
      expect(printed(`a${String.fromCharCode(code)}b`)).toMatchObject({ text: 'a?b', substituted: 1 });
    }
  });

  it('lets no command through, whatever the text', () => {
    const units = fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes));
    const hostile = fc.oneof(
      units,
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...'\u001b\u0010\u0014\u0001p@t€ж') }),
    );
    fc.assert(
      fc.property(hostile, fc.constantFrom<Make>('epson', 'citizen', 'mpt'), (value, make) => {
        const { bytes } = printed(value, make);
        const job = [...bytes].join(' ');
        expect(job).not.toMatch(/\b16 (?:4|5|20)\b/);
        if (make === 'epson') shown(bytes);
      }),
    );
  });
});

describe('the buffer', () => {
  it('grows to its limit and no further', () => {
    const encoder = new EscposEncoder({ make: 'epson' }, 1000, 16);
    for (let count = 0; count < 100; count += 1) encoder.text('0123456789', 0, 10);
    expect(encoder.getBuffer()).toHaveLength(1000);
    expect(() => encoder.text('x', 0, 1)).toThrow(JobTooLarge);
    expect(() => encoder.append(Uint8Array.of(1))).toThrow(JobTooLarge);
    expect(() => encoder.spaces(1)).toThrow(JobTooLarge);
  });

  it('refuses a job that is larger, as a whole', () => {
    const lines: Line[] = [{ type: 'text', value: 'x'.repeat(100) }];
    expect(render(lines, settings, resolveOptions(), undefined, 100)).toMatchObject({
      ok: false,
      error: 'render_too_large',
    });
    expect(render(lines, settings, resolveOptions(), undefined, 200)).toMatchObject({ ok: true });
  });
});
