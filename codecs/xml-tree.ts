/**
 * XML documents of a few hundred elements as a tree. The grammar is that of `saxes` (XML 1.0, Namespaces in XML 1.0), strict; there
 * are no entities but the five of XML, and a document type declaration is refused.
 */
import { SaxesParser } from 'saxes';

/** An element. Text and elements stand in the order of the document. */
export interface XmlElement {
  /** Without its prefix. */
  readonly name: string;
  /** As it stands in the document, for messages. */
  readonly written: string;
  /** The namespace; '' for none. */
  readonly space: string;
  /** Those without a prefix. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly content: readonly (XmlElement | string)[];
}

/** What a document has that cannot be read. The message names the place. */
export class XmlError extends Error {}

/** Elements inside each other, elements, and attributes of one. */
export const XML_LIMITS = { depth: 16, elements: 20_000, attributes: 32 } as const;

interface Open extends XmlElement {
  readonly content: (XmlElement | string)[];
}

/** Reads a document. Throws an XmlError where it is not well-formed, has a DTD, or is over `XML_LIMITS`. */
export function readXml(text: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true, position: true, defaultXMLVersion: '1.0', forceXMLVersion: true });
  const open: Open[] = [];
  let root: XmlElement | undefined;
  let elements = 0;
  const refuse = (words: string): never => {
    throw new XmlError(`line ${parser.line}: ${words}`);
  };
  const add = (piece: string): void => {
    const parent = open.at(-1);
    if (parent !== undefined && piece !== '') parent.content.push(piece);
  };
  parser.on('error', ({ message }) => {
    throw new XmlError(`line ${message.slice(0, 200)}`);
  });
  parser.on('doctype', () => refuse('a document type declaration'));
  parser.on('text', add);
  parser.on('cdata', add);
  parser.on('opentag', ({ name, local, uri, attributes }) => {
    elements += 1;
    if (elements > XML_LIMITS.elements) refuse(`more than ${XML_LIMITS.elements} elements`);
    if (open.length === XML_LIMITS.depth) refuse(`more than ${XML_LIMITS.depth} elements inside each other`);
    const listed = Object.values(attributes);
    if (listed.length > XML_LIMITS.attributes) refuse(`more than ${XML_LIMITS.attributes} attributes`);
    const plain = listed.filter((each) => each.prefix === '' && each.name !== 'xmlns');
    const element: Open = {
      name: local,
      written: name,
      space: uri,
      attributes: new Map(plain.map((each) => [each.local, each.value])),
      content: [],
    };
    open.at(-1)?.content.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on('closetag', () => void open.pop());
  parser.write(text).close();
  return root ?? refuse('no element');
}

/** The elements in an element, whatever text is between them. */
export const elementsOf = ({ content }: XmlElement): XmlElement[] =>
  content.filter((each): each is XmlElement => typeof each !== 'string');

/** The text of an element that has no elements in it; undefined where it has. */
export function textOf({ content }: XmlElement): string | undefined {
  return content.every((each) => typeof each === 'string') ? content.join('') : undefined;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text for the inside of an element or of an attribute. What XML 1.0 has no character for (2.2) becomes U+FFFD. */
export const escapeXml = (text: string): string =>
  text
    .replace(/[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[<>&"']/g, (char) => ESCAPES[char] ?? char)
    .replace(/[\t\n\r]/g, (char) => `&#${char.charCodeAt(0)};`);
