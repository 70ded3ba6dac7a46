/** The document as Python reads it: its regular expressions and a JSON Schema validator are not those of JavaScript. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { needTools } from '../tools.ts';
import { documents } from './document.ts';

const missing = needTools(['python3', 'jsonschema']);

/** Checks every schema and pattern of the document, and says whether each value is of its shape. */
const PROGRAM = `
import json, re, sys
from jsonschema import Draft202012Validator
document, values = json.load(sys.stdin)
def patterns(part):
    if isinstance(part, dict):
        if isinstance(part.get('pattern'), str): yield part['pattern']
        part = list(part.values())
    if isinstance(part, list):
        for each in part: yield from patterns(each)
for pattern in patterns(document): re.compile(pattern)
schemas = document['components']['schemas']
for schema in schemas.values(): Draft202012Validator.check_schema(schema)
def valid(name, value):
    schema = {'$ref': '#/components/schemas/' + name, 'components': document['components']}
    return Draft202012Validator(schema).is_valid(value)
print(json.dumps([valid(*each) for each in values]))
`;

const judged = (values: readonly (readonly [schema: string, value: unknown])[]): boolean[] =>
  JSON.parse(
    execFileSync('python3', ['-W', 'ignore', '-c', PROGRAM], {
      encoding: 'utf8',
      input: JSON.stringify([documents.twin, values]),
    }),
  );

describe.skipIf(missing !== undefined)(missing ?? 'Python', () => {
  it('takes every schema and pattern, and tells what a node takes from what it refuses', () => {
    const print = { type: 'print', id: '1', endpoint: 'receipt', lines: [{ type: 'text', value: 'Café' }] };
    const verdicts = judged([
      ['PrintCommand', print],
      ['PrintCommand', { ...print, lines: [{ type: 'hologram' }] }],
      ['ConfigPatch', { printWidthCols: 42 }],
      ['ConfigPatch', { printWidthCols: '42' }],
      ['ConfigPatch', { hosts: ['till.example.com'] }],
      ['NodeName', { name: 'Kasse 1 · Bäckerei' }],
      ['NodeName', { name: '' }],
    ]);
    expect(verdicts).toEqual([true, false, true, false, true, true, false]);
  });

  it('finds no expression that only JavaScript has', () => {
    for (const { components } of Object.values(documents))
      expect(JSON.stringify(components)).not.toMatch(/"pattern":"[^"]*(\(\?<?[=!]|\\\\p\{|\\\\ud[89a-f])/i);
    const { NodeName } = documents.twin.components.schemas;
    expect(NodeName).toMatchObject({ properties: { name: { 'x-pattern': expect.stringContaining('\\p{L}') } } });
  });
});
