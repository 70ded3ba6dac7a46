/**
 * XML documents of a few hundred elements as a tree. The grammar is that of `saxes` (XML 1.0, Namespaces in XML 1.0), strict; there
 * are no entities but the five of XML, and a document type declaration is refused.
 */
import { SaxesParser } from 'saxes';

/** An element. Text and elements stand in the order of the document. */
export interface XmlElement {
  /** Name of the element, without its prefix. */
  readonly name: string;
  /** As it stands in the document, for messages. */
  readonly written: string;
  /** The namespace; '' for none. */
  readonly space: string;
  /** Attributes without a prefix. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly content: readonly (XmlElement | string)[];
}

/** What a document has that cannot be read. The message names the place. */
export class XmlError extends Error {}

/** Elements inside each other, elements, and attributes of one. */
export const XML_LIMITS = { depth: 16, elements: 20_000, attributes: 32 } as const;

const PIECE_CHARACTERS = 64 * 1024;

/**
 * Data of images: so many characters of base64, at the beginning of a text or of a piece of one, as no reference has. The parser, which
 * looks at each character by itself, gets a name in their place that nobody can guess.
 */
const DATA = /(?<=^|[>\s])[A-Za-z0-9+/=]{1024,}/g;

const DISALLOWED = 'a character that XML does not have, or bytes that are none of the encoding';

interface Open extends XmlElement {
  readonly content: (XmlElement | string)[];
}

/** Reads a document. Throws an XmlError where it is not well-formed, has a DTD, or is over `XML_LIMITS`. */
export function readXml(text: string): XmlElement {
  const reader = new XmlReader();
  reader.write(text);
  return reader.end();
}

/** Reads a document as it arrives. Its calls throw an XmlError as `readXml` does; then it is over. */
export class XmlReader {
  readonly #parser = new SaxesParser({ xmlns: true, position: true, defaultXMLVersion: '1.0', forceXMLVersion: true });
  readonly #open: Open[] = [];
  #root: Open | undefined;
  #elements = 0;
  /** Gives a part that is whole, unless the tag that closed it is another one's. */
  #give: (() => void) | undefined;
  /** Attributes of the tag that is open. */
  #attributes = 0;
  /** What the parser did not get, by its name: of what it has not given yet. */
  readonly #data = new Map<string, string>();
  readonly #names = crypto.randomUUID();
  readonly #named = new RegExp(`${this.#names}:\\d+;`, 'g');
  #numbered = 0;
  /** Characters since the text that is open was joined. */
  #loose = 0;

  /** `part`: given each element of the root when it is whole, which the root then has not; the limit of elements is that of each. */
  constructor(part?: (part: XmlElement, root: XmlElement) => void) {
    const [parser, open] = [this.#parser, this.#open];
    const add = (piece: string): void => {
      const parent = open.at(-1);
      if (parent !== undefined && piece !== '') parent.content.push(this.#restored(piece));
    };
    parser.on('error', ({ message }) => {
      // The parser has closed this element all the same.
      if (message.endsWith('unexpected close tag.')) this.#give = undefined;
      this.#flush();
      const words = message.replace(/disallowed character\.$/, DISALLOWED);
      throw new XmlError(`line ${words.slice(0, 200)}`);
    });
    parser.on('doctype', () => this.#refuse('a document type declaration'));
    parser.on('text', add);
    parser.on('cdata', add);
    // Nobody asks for these, but for what was kept of them.
    parser.on('comment', (text) => void this.#restored(text));
    parser.on('processinginstruction', ({ body }) => void this.#restored(body));
    parser.on('opentagstart', () => {
      this.#flush();
      this.#attributes = 0;
    });
    // Each as it arrives, so that a tag of many is not held.
    parser.on('attribute', () => {
      this.#attributes += 1;
      if (this.#attributes > XML_LIMITS.attributes) this.#refuse(`more than ${XML_LIMITS.attributes} attributes`);
    });
    parser.on('opentag', ({ name, local, uri, attributes }) => {
      this.#flush();
      this.#elements += 1;
      if (this.#elements > XML_LIMITS.elements) this.#refuse(`more than ${XML_LIMITS.elements} elements`);
      if (open.length === XML_LIMITS.depth) this.#refuse(`more than ${XML_LIMITS.depth} elements inside each other`);
      const plain = new Map<string, string>();
      for (const each of Object.values(attributes)) {
        // Also of one that nobody asks for, what was kept of it goes.
        const value = this.#restored(each.value);
        if (each.prefix === '' && each.name !== 'xmlns') plain.set(each.local, value);
      }
      const element: Open = { name: local, written: name, space: uri, attributes: plain, content: [] };
      open.at(-1)?.content.push(element);
      this.#root ??= element;
      open.push(element);
    });
    parser.on('closetag', () => {
      this.#flush();
      const closed = open.pop();
      const [root] = open;
      if (part === undefined || closed === undefined || root === undefined || open.length > 1) return;
      root.content.length = 0;
      this.#elements = 0;
      this.#give = () => part(closed, root);
    });
  }

  write(text: string): void {
    for (let at = 0; at === 0 || at < text.length; at += PIECE_CHARACTERS) {
      this.#parser.write(text.slice(at, at + PIECE_CHARACTERS).replace(DATA, this.#keep));
      this.#flush();
      // What is open is in pieces of some characters each, of which every one takes as much memory as a hundred: this joins them.
      this.#loose += Math.min(PIECE_CHARACTERS, text.length - at);
      if (this.#loose < PIECE_CHARACTERS) continue;
      this.#loose = 0;
      String(Reflect.get(this.#parser, 'text')).charCodeAt(0);
    }
  }

  readonly #keep = (data: string): string => {
    this.#numbered += 1;
    const name = `${this.#names}:${this.#numbered};`;
    this.#data.set(name, data);
    return name;
  };

  #restored(text: string): string {
    if (this.#data.size === 0) return text;
    return text.replace(this.#named, (name) => {
      const data = this.#data.get(name) ?? '';
      this.#data.delete(name);
      return data;
    });
  }

  /** The root. */
  end(): XmlElement {
    this.#parser.close();
    return this.#root ?? this.#refuse('no element');
  }

  #flush(): void {
    const give = this.#give;
    this.#give = undefined;
    give?.();
  }

  #refuse(words: string): never {
    throw new XmlError(`line ${this.#parser.line}: ${words}`);
  }
}

/** The elements in an element, whatever text is between them. */
export const elementsOf = ({ content }: XmlElement): XmlElement[] =>
  content.filter((each): each is XmlElement => typeof each !== 'string');

/** The text of an element that has no elements in it; undefined where it has. */
export function textOfElement({ content }: XmlElement): string | undefined {
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
