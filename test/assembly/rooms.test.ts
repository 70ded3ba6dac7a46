/** An image has the rooms of its row, and of the others nothing: not in its bundles, and not on its pages. */
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { variants } from '../../build.config.ts';

interface Metafile {
  readonly outputs: Readonly<Record<string, { readonly inputs: Readonly<Record<string, { bytesInOutput: number }>> }>>;
}

/** The source files of which something is in a bundle of this image. */
function sourcesOf(variant: string): string[] {
  const { outputs } = JSON.parse(readFileSync(`dist/${variant}/metafile-esm.json`, 'utf8')) as Metafile;
  const all = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs));
  return [...new Set(all.flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])))];
}

const pagesOf = (variant: string) => brotliDecompressSync(readFileSync(`dist/${variant}/pages.br`)).toString();

/** What drives scales on a serial line and adapters; a CDC-ACM line is that of a scanner, too. */
const OF_SERIAL =
  /^(plugins\/serial\/|codecs\/(serial-scales?|cas-pd2|mt-sics|nci-scale|stream-scale|toledo-8217)\.ts$|runtime\/bindings\/serial\/(line|ftdi|cp210x|ch340|pl2303)\.ts$)/;
/** What the panel and its client have of them; the help, which is the same on every image, may name their protocols. */
const WORDS_OF_SERIAL = /serial\/try|trySerial/;

describe.each(Object.entries(variants))('the image %s', (name, { plugins }) => {
  it('has files of its rooms alone', () => {
    const rooms = sourcesOf(name).flatMap((path) => /^plugins\/([^/]+)\//.exec(path)?.[1] ?? []);
    expect([...new Set(rooms)].sort()).toEqual([...plugins].sort());
  });

  const hasSerial = plugins.includes('serial');
  it(`has ${hasSerial ? 'scales on serial lines, which' : 'nothing of serial lines where'} its row ${hasSerial ? 'names' : 'does not name them'}`, () => {
    const sources = sourcesOf(name).filter((path) => OF_SERIAL.test(path));
    if (hasSerial) expect(sources.length).toBeGreaterThan(15);
    else expect(sources).toEqual([]);
    expect(WORDS_OF_SERIAL.test(pagesOf(name))).toBe(hasSerial);
  });
});
