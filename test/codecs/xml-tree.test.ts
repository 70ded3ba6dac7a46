/** XML without document types, in bounds. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import {
  elementsOf,
  escapeXml,
  readXml,
  textOfElement,
  XML_LIMITS,
  type XmlElement,
  XmlError,
  XmlReader,
} from '../../codecs/xml-tree.ts';

/** Measures what is in use. */
function heapUsed(): () => number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  return () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
}

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
  expect([textOfElement(root), textOfElement(readXml('<a>b</a>'))]).toEqual([undefined, 'b']);
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
  expect(textOfElement(readXml(`<a>${escapeXml(odd)}</a>`))).toBe(`<&>"'\n\ufffd\ufffd\u{1f600}`);
});

it.each([
  ['a comment', '<!--', '-x'],
  ['an instruction', '<?a ', '?x'],
  ['a section', '<a><![CDATA[', ']x'],
  ['references', '<a>', '&lt;'],
])(
  'an XML reader holds no more than the characters of %s, however many signs that could end it are in it',
  (_, head, sign) => {
    const used = heapUsed();
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

it.each([
  ['texts', (data: string) => `<b>${data}</b>`],
  ['attributes', (data: string) => `<b c="${data}"/>`],
  ['comments', (data: string) => `<!--${data}--><b/>`],
  ['instructions', (data: string) => `<?c ${data}?><b/>`],
  ['sections', (data: string) => `<b><![CDATA[${data}]]></b>`],
])('an XML reader holds no data of images in %s of parts that it has given', (_, part) => {
  const used = heapUsed();
  let parts = 0;
  const reader = new XmlReader(() => {
    parts += 1;
  });
  reader.write('<a>');
  const before = used();
  // Each is a text of its own.
  for (let written = 0; written < 100; written += 1) reader.write(part(`${written}A`.repeat(200_000)));
  expect(used() - before).toBeLessThan(6_000_000);
  reader.write('</a>');
  reader.end();
  expect(parts).toBe(100);
});

it.each([
  ['the text of an element', (data: string) => `<a>${data}</a>`],
  ['its text in several parts', (data: string) => `<a>x${data}\n${data}&lt;${data}<b/>${data}</a>`],
  ['an attribute', (data: string) => `<a b="${data}">${data}</a>`],
  ['a section', (data: string) => `<a><![CDATA[${data}]]>${data}</a>`],
  ['a comment before', (data: string) => `<a><!--${data}-->${data.slice(7)}</a>`],
  ['an instruction before', (data: string) => `<a><?b ${data}?>${data.slice(7)}</a>`],
])('an XML reader gives data of an image as they stand in %s, whatever pieces they come in', (_, documentOf) => {
  const data = Buffer.alloc(150_000, 'QUJD+/x9').toString('latin1').concat('==');
  // As its grammar alone gives it: with a character in it that base64 does not have.
  const dotted = documentOf(data.replace(/[A-Za-z0-9+/=]{500}/g, '$&.'));
  const expected = written(readXml(dotted)).replaceAll('.', '');
  expect(written(readXml(documentOf(data)))).toBe(expected);
  for (const size of [700, 1500, 70_000]) {
    const reader = new XmlReader();
    const text = documentOf(data);
    for (let at = 0; at < text.length; at += size) reader.write(text.slice(at, at + size));
    expect(written(reader.end())).toBe(expected);
  }
});

it('an XML reader gives references to characters as they are, beside data', () => {
  const data = 'QUJD'.repeat(1000);
  const { content } = readXml(`<r><b c="&#xE000;2;">&#xE000;2;&#xE000;;</b><a>${data}</a><c>${data}A</c></r>`);
  const [b, ...others] = content as XmlElement[];
  expect([b?.attributes.get('c'), ...content.map((each) => textOfElement(each as XmlElement))]).toEqual([
    '\ue0002;',
    '\ue0002;\ue000;',
    data,
    `${data}A`,
  ]);
  expect(others).toHaveLength(2);
});

it('an XML reader knows a namespace by its name, however long that is', () => {
  const name = `urn:${'QUJD'.repeat(1000)}`;
  const root = readXml(`<p:a xmlns:p="${name}"><b xmlns="${name}"/><p:c/></p:a>`);
  expect([root.space, ...elementsOf(root).map(({ space }) => space)]).toEqual([name, name, name]);
  expect(() => readXml(`<a xmlns:p="${name}" xmlns:q="${name}" p:x="" q:x=""/>`)).toThrow(XmlError);
});

/** An element as text, whatever pieces its text is in. */
const written = ({ attributes, content }: XmlElement): string =>
  `{${[...attributes].join()}|${content.map((each) => (typeof each === 'string' ? each : written(each))).join('')}}`;

it.each([
  ['a reference', (data: string) => `<a>&${data};</a>`],
  ['the place before the root', (data: string) => `${data}<a/>`],
])('an XML reader refuses data of an image in %s', (_, documentOf) => {
  expect(() => readXml(documentOf('QUJD'.repeat(1000)))).toThrow(XmlError);
});

it('data in attributes that nobody asks for are let go with their element', () => {
  const used = heapUsed();
  let parts = 0;
  const reader = new XmlReader(() => {
    parts += 1;
  });
  reader.write('<r xmlns:f="u">');
  // Each is a text of its own, as those from a network are.
  const data = (letter: string) => Buffer.alloc(30_000, letter).toString('latin1');
  const part = () => `<p f:a=" ${data('A')}" xmlns:g=" ${data('B')}"/>`;
  for (let many = 0; many < 20; many += 1) reader.write(part());
  const before = used();
  for (let many = 0; many < 200; many += 1) reader.write(part());
  expect(used() - before).toBeLessThan(2_000_000);
  expect(parts).toBeGreaterThan(200);
});
