/** XML without document types, in bounds. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { elementsOf, escapeXml, readXml, textOf, XML_LIMITS, XmlError, XmlReader } from '../../codecs/xml-tree.ts';

it('an XML document gives its elements, their namespaces and attributes, and text in order', () => {
  const root = readXml(
    '<?xml version="1.0"?><!-- a --><p:a xmlns:p="u" b="1&amp;2" p:c="3">x<![CDATA[<]]>&#65;<d/>y</p:a>',
  );
  expect(root).toMatchObject({
    name: 'a',
    written: 'p:a',
    space: 'u',
    content: ['x', '<', 'A', { name: 'd', space: '' }, 'y'].slice(0),
  });
  expect([...root.attributes]).toEqual([['b', '1&2']]);
  expect(elementsOf(root).map(({ name }) => name)).toEqual(['d']);
  expect([textOf(root), textOf(readXml('<a>b</a>'))]).toEqual([undefined, 'b']);
});

it.each([
  ['<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', 'document type'],
  ['<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', 'document type'],
  ['<a>&b;</a>', 'entity'],
  ['<a><b></a>', 'line 1'],
  ['<a>', 'line 1'],
  ['', 'line 1'],
  ['text', 'line 1'],
  ['<a/><b/>', 'line 1'],
  ['<p:a/>', 'line 1'],
  ['<a b="1" b="2"/>', 'line 1'],
  ['<a>\u0001</a>', 'line 1'],
  ['<?xml version="1.1"?><a>&#27;p</a>', 'line 1'],
  ['{"a":1}', 'line 1'],
  ['<a>'.repeat(17), 'elements inside each other'],
  [`<a>${'<b/>'.repeat(XML_LIMITS.elements)}</a>`, 'elements'],
  [`<a ${Array.from({ length: 33 }, (_, at) => `b${at}=""`).join(' ')}/>`, 'attributes'],
  [`<a ${Array.from({ length: 33 }, (_, at) => `b${at}=""`).join(' ')}`, 'more than 32 attributes'],
])('an XML reader refuses %.60s', (text, words) => {
  expect(() => readXml(text)).toThrow(XmlError);
  expect(() => readXml(text)).toThrow(words);
});

it('escapeXml() escapes what XML has another meaning or no character for', () => {
  const odd = `<&>"'\n\u0000\ud800\u{1f600}`;
  expect(escapeXml(odd)).toBe('&lt;&amp;&gt;&quot;&#39;&#10;\ufffd\ufffd\u{1f600}');
  expect(textOf(readXml(`<a>${escapeXml(odd)}</a>`))).toBe(`<&>"'\n\ufffd\ufffd\u{1f600}`);
});

it.each([
  ['a comment', '<!--', '-x'],
  ['an instruction', '<?a ', '?x'],
  ['a section', '<a><![CDATA[', ']x'],
  ['references', '<a>', '&lt;'],
])(
  'an XML reader holds no more than the characters of %s, however many signs that could end it are in it',
  (_, head, sign) => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    setFlagsFromString('--no-expose-gc');
    const used = () => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const piece = sign.repeat(30_000);
    const reader = new XmlReader();
    const before = used();
    reader.write(head);
    for (let written = 0; written < 40; written += 1) reader.write(piece);
    expect(used() - before).toBeLessThan(12_000_000);
    // It is still being read.
    expect(() => reader.end()).toThrow(XmlError);
  },
);
