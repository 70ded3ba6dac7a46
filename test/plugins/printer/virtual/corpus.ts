/** Streams of our own making, one a command: a title, what must come of it, and the stream with braces around the command. */

export const CORPUS = 'test/twin-corpus';

/** Hexadecimal bytes and text in quotation marks. */
export const bytesOf = (stream: string): Buffer =>
  Buffer.concat(
    [...stream.matchAll(/"([^"]*)"|([0-9a-f]{2})\b/g)].map(([, text, hex]) =>
      text === undefined ? Buffer.from(hex!, 'hex') : Buffer.from(text, 'latin1'),
    ),
  );

/** The whole stream. A brace within text is none of the marks. */
export const unmarked = (stream: string): string => stream.replaceAll(/("[^"]*")|[{}]/g, '$1');

/** The stream without its command. */
export const without = (stream: string): string => stream.replaceAll(/\{(?:"[^"]*"|[^"}])*\}/g, '');
