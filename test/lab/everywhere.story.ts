/**
 * Printing without a driver from a computer with avahi and CUPS, on the built image and a printer that the kernel makes. Long:
 * `npm run lab` has it, `npm test` has not.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll } from 'vitest';
import { fileOf, lines, marks, pdf } from '../plugins/ipp/documents.ts';
import { copyFiles } from '../plugins/ipp/ipptool.ts';
import { jpegOf } from '../plugins/ipp/pages.ts';
import { needTools } from '../tools.ts';
import { everywhereSuite, FIVE } from './guest/everywhere.ts';
import { CACHE } from './machine.ts';
import { onMachine } from './on-machine.ts';

const DOCUMENTS = resolve(CACHE, 'documents');
const missing = needTools(['cupsd', 'ipptool', 'avahi-daemon', 'gs', 'tesseract', 'cjpeg']);

beforeAll(() => {
  if (missing) return;
  rmSync(DOCUMENTS, { recursive: true, force: true });
  mkdirSync(DOCUMENTS, { recursive: true });
  for (const number of [1, 2, 3, 4]) fileOf(DOCUMENTS, number);
  const pages = FIVE.map((number) => [...marks, ...lines([`BEGIN 00${number}`, `END 00${number}`], 120)].join('\n'));
  pdf(DOCUMENTS, 'five', pages);
  copyFiles(DOCUMENTS, jpegOf());
});

onMachine({
  title: 'from an office',
  program: 'everywhere-main.ts',
  suites: { 'CUPS without a driver': everywhereSuite },
  timeoutMs: 2_400_000,
  env: { LAB_DOCUMENTS: DOCUMENTS },
  // Installed on the host, they would start.
  packages: ['cups', 'cups-filters', 'libnss-mdns'],
});
