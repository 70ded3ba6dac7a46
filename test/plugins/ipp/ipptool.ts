/** The test files of CUPS, which are PWG's: IPP/1.1, IPP/2.0 and IPP Everywhere, without the documents that they name. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const FILES = ['ipp-1.1.test', 'ipp-2.0.test', 'ipp-everywhere.test'] as const;
/** The one that they send, in the folder with them. */
export const DOCUMENT = 'document.jpg';
/** Optional operations, which are not offered; PDF; and PWG's samples, of resolutions that printers of receipts have not. */
const SKIPPED =
  /Print-URI|Send-URI|Create-Job Operation|Cancel-Job Operation|PDF|pwg-raster|Print-Job with|Print [a-z-]+|Release-Job|Hold/;

/** Debian has the files without the documents that they name: ipptool stops at those that are not there. */
export function copyFiles(folder: string, document: Uint8Array): void {
  for (const name of FILES) {
    const text = readFileSync(`/usr/share/cups/ipptool/${name}`, 'utf8');
    writeFileSync(join(folder, name), text.replaceAll(/^(\s+FILE )(?!\$)\S+$/gm, `$1${DOCUMENT}`));
  }
  writeFileSync(join(folder, DOCUMENT), document);
}

/** Arguments of ipptool(1), in that folder. */
export const argumentsOf = (uri: string, file: string): string[] => ['-V', '2.0', '-tf', DOCUMENT, uri, file];

/** What failed, and what was skipped for no known reason. */
export const faultsIn = (out: string): string[] => [
  ...(out.match(/.*\[FAIL\](?:\n {8}.*)*/g) ?? []),
  ...(out.match(/.*\[SKIP\]/g) ?? []).filter((line) => !SKIPPED.test(line)),
];
