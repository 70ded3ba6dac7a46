/** The receipt editor's reading of JSON: faults in their place and in the words of the node, completion at the caret. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PrintCommand } from '../../plugins/printer/contract.ts';
import printer from '../../plugins/printer/index.ts';
import { parse, positionOf } from '../../runtime/base/json-places.ts';
import { sentenceOf } from '../../runtime/base/shape-faults.ts';
import { compose } from '../../runtime/kernel/composition.ts';
import { CORE_ERRORS } from '../../runtime/kernel/core-errors.ts';
import { compileValidators } from '../../runtime/kernel/schemas.ts';
import { Contract } from '../../runtime/kernel/validator.ts';
import { faultsOf } from '../../runtime/page/editor/check.ts';
import { complete } from '../../runtime/page/editor/complete.ts';
import type { Schema } from '../../runtime/page/editor/schema.ts';
import { detailInWords, jsonFault } from '../../runtime/page/kit/shape-faults.ts';

const LINES = PrintCommand.properties.lines as Schema;
const contract = new Contract(compileValidators(compose([printer], CORE_ERRORS)));
/** What the node says of a command with these lines. */
const nodeSays = (lines: unknown) => {
  const fault = contract.fault(PrintCommand, { type: 'print', id: '1', endpoint: 'receipt', lines });
  return fault && `${fault.path}: ${fault.message}`;
};
const editorSays = (lines: unknown) => {
  const [fault] = faultsOf(LINES, lines, 'lines');
  return fault && `${fault.path}: ${sentenceOf(fault.shape)}`;
};

describe('a fault of the shape', () => {
  it.each([
    [[], 'lines: must NOT have fewer than 1 items'],
    [[{ type: 'feed' }, { type: 'cut' }, {}], "lines/2: must have required property 'type'"],
    [[{ type: 'hologram' }], 'lines/0: has an unknown type "hologram"'],
    [[{ type: 7 }], 'lines/0: has an unknown type 7'],
    [[{ type: 'text' }], "lines/0: must have required property 'value'"],
    [[{ type: 'text', value: 5 }], 'lines/0/value: must be string'],
    [[{ type: 'text', value: 'x', colour: 1 }], 'lines/0: has an unknown key "colour"'],
    [[{ type: 'text', value: 'x', align: 'top' }], 'lines/0/align: must be "left" or "center" or "right"'],
    [[{ type: 'text', value: 'x', size: '9x' }], 'lines/0/size: must match pattern "^([1-8]x|[1-8]x[1-8])$"'],
    [[{ type: 'text', value: 'x', bold: 'yes' }], 'lines/0/bold: must be boolean'],
    [[{ type: 'feed', lines: 256 }], 'lines/0/lines: must be <= 255'],
    [[{ type: 'feed', lines: 0.5 }], 'lines/0/lines: must be integer'],
    [[{ type: 'columns', cells: [{ value: 'a', width: 0 }] }], 'lines/0/cells/0/width: must be >= 1'],
    [['feed'], 'lines/0: must be object'],
    [{}, 'lines: must be array'],
  ])('%j is %s, as the node says', (lines, words) => {
    expect(nodeSays(lines)).toBe(words);
    expect(editorSays(lines)).toBe(words);
  });

  it('is found in exactly the lines that the node refuses, in its words', () => {
    const value = fc.oneof(
      fc.constantFrom('x', '', 'left', '2x', 'single', 'qr', 1, 0, 300, 1.5, true, null, [], {}),
      fc.constant([{ value: 'a', bold: true }]),
      fc.constant([{ width: 3 }]),
    );
    const keys = 'value bold align size font cells style lines mode symbology height hri width data __proto__ x'.split(
      ' ',
    );
    const type = fc.constantFrom(...'text columns banner rule feed cut barcode raster other'.split(' '), undefined, 7);
    const line = fc
      .tuple(type, fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 4 }))
      .map(([tag, rest]) => (tag === undefined ? rest : { ...rest, type: tag }));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 3 }), (lines) => {
        const said = nodeSays(lines);
        expect(editorSays(lines)).toBe(said);
        // The page has words of its own for each of them.
        if (said !== undefined) expect(detailInWords(said)).not.toBe(said);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['lines: must be array', 'lines: must be a list in [ ]'],
    ['must be integer', 'must be a whole number'],
    ['lines/0/bold: must be boolean', 'lines/0/bold: must be true or false'],
    ['drawer/pin: must be 2 or 5', 'drawer/pin: must be one of these: 2, 5'],
    ['a: must be "left" or "right"', 'a: must be one of these: "left", "right"'],
    ['a: must be <= 255', 'a: must be at most 255'],
    ['a: must be >= 1', 'a: must be at least 1'],
    ['webhook/url: must be at most 199 UTF-8 bytes', 'webhook/url: is too long: at most 199 bytes (UTF-8)'],
    ['a: must NOT have more than 9 characters', 'a: is too long, in characters at most: 9'],
    ['a: must NOT have fewer than 9 characters', 'a: is too short, in characters at least: 9'],
    ['a: must NOT have more than 9 items', 'a: is too long, in entries at most: 9'],
    ['a: must NOT have fewer than 9 items', 'a: is too short, in entries at least: 9'],
    ['a: must match pattern "^x: $"', 'a: has not the form ^x: $'],
    ["must have required property 'value'", 'value is missing'],
    ['a: has an unknown key "colour"', 'a: colour is not known here'],
    ['a: has an unknown type "hologram"', 'a: type may not be "hologram"'],
    ['a: has an unknown type 7', 'a: type may not be 7'],
    ['hosts: must NOT have duplicate items', 'hosts: has an entry twice'],
    // Keys of serial adapters, which their makers name.
    ['serial/A: B/kind: must be "scale"', 'serial/A: B/kind: must be one of these: "scale"'],
    // Of what the node says else, nothing is lost.
    ['lines/0: ean13 check digit of 400638133393 is 1', 'lines/0: ean13 check digit of 400638133393 is 1'],
    ['getaddrinfo ENOTFOUND till: must be it', 'getaddrinfo ENOTFOUND till: must be it'],
  ])('%s: the page says: %s', (said, words) => {
    expect(detailInWords(said)).toBe(words);
  });

  it('is shown at its value, or at the key it is about', () => {
    const text = '[\n  { "type": "text", "value": "a", "size": "9x", "colour": 1 }\n]';
    const parsed = parse(text, 'lines');
    if (!parsed.ok) throw new Error(parsed.message);
    const marked = faultsOf(LINES, parsed.value, 'lines').map(({ path, key }) => {
      const { from, to } = parsed.place(path, key);
      return text.slice(from, to);
    });
    expect(marked).toEqual(['"colour"', '"9x"']);
    expect(positionOf(text, text.indexOf('"9x"'))).toEqual({ line: 2, column: 43 });
  });

  it('is shown at what is around it where nothing stands there', () => {
    const text = '{\n"a": "}]\\"{",\n"b": [\n1,\n{"c":\n-2e3}\n]}';
    const parsed = parse(text, '');
    if (!parsed.ok) throw new Error(parsed.message);
    const lines = ['/a', '/b', '/b/1', '/b/1/c', '/b/7', '/z', '', '/z/y'].map(
      (path) => positionOf(text, parsed.place(path).from).line,
    );
    expect(lines).toEqual([2, 3, 5, 6, 3, 1, 1, 1]);
  });
});

describe('a text that is no JSON', () => {
  it.each([
    ['[{"type": "cut"}', 'a comma or ] is missing before the end', ''],
    ['[{"type" "cut"}]', 'a colon is missing before "cut"', '"cut"'],
    ['[{"type": "cut",}]', 'a key in quotes is missing before }', '}'],
    ['[1,]', 'a value is missing before ]', ']'],
    ['[{type: "cut"}]', 'type is no JSON value: text stands in quotes', 'type'],
    ['[{"type": cut}]', 'cut is no JSON value: text stands in quotes', 'cut'],
    ['[{"type": "cut\n}]', 'the quote that ends this is missing', '"cut'],
    ['[1] 2', '2 stands after the end', '2'],
    ['', 'a value is missing before the end', ''],
    ['[1 2]', 'a comma is missing before 2', '2'],
    ['["\\x"]', '"\\x" has an escape that JSON does not know', '"\\x"'],
  ])('%j: %s', (text, message, place) => {
    const parsed = parse(text, 'lines');
    if (parsed.ok) throw new Error('parsed');
    expect([parsed.message, text.slice(parsed.at.from, parsed.at.to)]).toEqual([message, place]);
    // In English the page says the same.
    expect(jsonFault(parsed.fault)).toBe(message);
  });

  it('is told from JSON as JSON.parse does', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"',
      '1',
      '-0.5e3',
      '01',
      'true',
      'nul',
      ' ',
      '\n',
      '"\\u00e9"',
      '"\\x"',
    );
    const text = fc.oneof(
      fc.json(),
      fc.array(piece, { maxLength: 9 }).map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(text, (json) => {
        let value: unknown;
        let ok = true;
        try {
          value = JSON.parse(json);
        } catch {
          ok = false;
        }
        const parsed = parse(json, '');
        expect(parsed.ok).toBe(ok);
        if (parsed.ok) expect(parsed.value).toEqual(value);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('completion', () => {
  /** The caret stands at ¦. */
  const at = (marked: string) => {
    const caret = marked.indexOf('¦');
    const text = marked.replace('¦', '');
    const completion = complete(LINES, text, caret);
    return {
      labels: completion?.suggestions.map(({ label }) => label),
      chosen: (label: string) => {
        const suggestion = completion?.suggestions.find((each) => each.label === label);
        return (
          completion && suggestion && text.slice(0, completion.from) + suggestion.insert + text.slice(completion.to)
        );
      },
    };
  };

  it('offers the line types where a line stands, and writes the least of one', () => {
    const { labels, chosen } = at('[¦]');
    expect(labels).toEqual(['text', 'columns', 'banner', 'rule', 'feed', 'cut', 'barcode', 'raster']);
    expect(chosen('columns')).toBe('[{ "type": "columns", "cells": [ { "value": "" } ] }]');
    expect(chosen('feed')).toBe('[{ "type": "feed" }]');
  });

  it.each([
    ['keys that the line has not got yet, whatever stands behind', '[{ "type": "cut", ¦ }]', ['mode']],
    ['keys by the type that comes after the caret', '[{ ¦, "type": "rule" }]', ['style']],
    ['the tag where there is no type', '[{ ¦ }]', ['type']],
    ['what a half-written key may become', '[{ "type": "text", "al¦', ['align']],
    ['what a key without its first quote may become', '[{ "type": "text", al¦ }]', ['align']],
    ['the values of a choice', '[{ "type": "text", "align": ¦ }]', ['left', 'center', 'right']],
    ['what a half-written value may become', '[{ "type": "text", "align": "c¦" }]', ['center']],
    ['true and false', '[{ "type": "text", "bold": t¦', ['true']],
    ['other types over one that is written', '[{ "type": "r¦ule" }]', ['rule', 'raster']],
    ['keys of a cell', '[{ "type": "columns", "cells": [{ "value": "a", ¦ }] }]', ['width', 'align', 'bold']],
    ['nothing where a comma is missing', '[{ "type": "cut" ¦ }]', undefined],
    ['nothing behind a whole string', '[{ "type": "text", "align": "left"¦ }]', undefined],
    ['nothing for a key that is not known', '[{ "type": "cut", "colour": ¦ }]', undefined],
  ])('offers %s', (_what, marked, labels) => {
    expect(at(marked).labels).toEqual(labels);
  });

  it('writes over what is there of it', () => {
    expect(at('[{ "type": "text", "al¦": "left" }]').chosen('align')).toBe('[{ "type": "text", "align": "left" }]');
    expect(at('[{ "type": "rule", "style": "do¦" }]').chosen('double')).toBe('[{ "type": "rule", "style": "double" }]');
  });
});
