/** Printing without a driver: the wifi image with a printer that the kernel makes, and CUPS on a computer that finds it by itself. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { printed, read, words, wordsOf } from '../../plugins/ipp/documents.ts';
import { argumentsOf, FILES, faultsIn } from '../../plugins/ipp/ipptool.ts';
import { epsonGadget } from './devices.ts';
import { EpsonPrinter } from './epson.ts';
import { until } from './gadget.ts';
import { endpointIs, get, put, startImage } from './image.ts';
import {
  addQueue,
  attributesOf,
  type Computer,
  connectOffice,
  NODE,
  onComputer,
  startOffice,
  startReference,
} from './office.ts';
import { type It, story } from './suite.ts';

/** Folder with the documents. */
export const { LAB_DOCUMENTS = '' } = process.env;
const ANYWHERE = ['--host', '::', '--port', '8080'];
const URI = `ipp://${NODE}/ipp/print`;
const CASE_MS = 600_000;
/** States and reasons are right within so many ms. */
const RIGHT_MS = 3000;
const LOOK_MS = 100;
/** Bytes a second of a printer whose jobs can be caught at it. */
const SLOW = 40_000;

/** What the printer that CUPS has for tests says of itself, and this one not: it is optional, and of what a roll and a cutter have not. */
export const LEFT_OUT: readonly string[] = [
  ...['finishings-col-database', 'finishings-col-default', 'finishings-col-ready', 'finishings-col-supported'],
  ...['finishings-ready', 'job-k-octets-supported', 'job-priority-default', 'job-priority-supported'],
  ...['multiple-document-handling-supported', 'printer-input-tray', 'reference-uri-schemes-supported'],
];
export const namesIn = (said: string): string[] =>
  [...said.matchAll(/^ +([a-z][a-z0-9-]*) \(/gm)].map(([, name = '']) => name);

const document = (name: string) => join(LAB_DOCUMENTS, name);
/** The pages behind each other, of `five.pdf`. */
export const FIVE: readonly number[] = [5, 6, 7, 8, 9];

export function everywhereSuite(runner: It): void {
  let epson: EpsonPrinter;
  let computer: Computer;
  const inOrder = story(runner);
  const it = (promise: string, check: () => Promise<void>) => inOrder(promise, check, CASE_MS);
  const papers = () => printed(Buffer.from(epson.job, 'latin1'));
  const wordsOnPaper = () => papers().map((rows) => words(read(rows)));
  /** Milliseconds until the node says this of its printer. */
  const within = async (reason: string) => {
    const since = performance.now();
    const says = async () =>
      new RegExp(`printer-state-reasons \\(.*= .*\\b${reason}\\b`).test(await attributesOf(URI)) || undefined;
    await until(says, reason, CASE_MS, LOOK_MS);
    return performance.now() - since;
  };
  const cupsSays = (reason: RegExp) =>
    until(async () => reason.test(await computer.reasons()) || undefined, `${reason} of CUPS`, CASE_MS, LOOK_MS);
  /** Has the printer take its time for what it is sent from now on; returns what ends that. */
  const slowed = (): (() => void) => {
    const { gadget } = epson;
    const take = gadget.onBytes;
    gadget.onBytes = (bytes) => {
      take?.(bytes);
      gadget.taking = false;
      setTimeout(
        () => {
          gadget.taking = true;
        },
        (1000 * bytes.length) / SLOW,
      );
    };
    return () => {
      gadget.onBytes = take;
    };
  };

  it('is found by avahi and by driverless, and CUPS makes a queue of what was found', async () => {
    connectOffice();
    epson = new EpsonPrinter(await epsonGadget());
    await startImage('wifi', ANYWHERE);
    await epson.gadget.plug();
    await endpointIs('receipt', 'bound');
    assert.equal((await put('/config', { ipp: { enabled: true } })).code, 200);
    const [found = '', ...more] = await startOffice();
    assert.deepEqual(more, []);
    assert.match(found, /^ipp:\/\/.*\._ipp\._tcp\.local\/$/);
    computer = await addQueue(found);
  });

  for (const [kind, number, name] of [
    ['a PDF', 1, 'job-1.pdf'],
    ['a text', 2, 'job-2.txt'],
    ['a picture', 3, 'job-3.png'],
    ['a PDF of two pages', 4, 'job-4.pdf'],
  ] as const)
    it(`prints ${kind}, once and whole`, async () => {
      epson.newJob();
      const job = await computer.print(document(name));
      assert.equal((await computer.idle()).at(-1), job);
      assert.deepEqual(wordsOnPaper(), [wordsOf(number)]);
    });

  it('prints five pages, in their order', async () => {
    epson.newJob();
    await computer.print(document('five.pdf'));
    await computer.idle();
    assert.deepEqual(wordsOnPaper(), [
      FIVE.flatMap((number) => wordsOf(number).filter((each) => /^(BEGIN|END)/.test(each))),
    ]);
  });

  it('ends a job that is canceled while it prints, and the next one is whole', async () => {
    epson.newJob();
    const faster = slowed();
    const long = await computer.print(document('five.pdf'));
    await until(async () => epson.job.length > 8000 || undefined, 'the first page', CASE_MS, LOOK_MS);
    await computer.cancel(long);
    const done = await computer.idle();
    assert.ok(!done.includes(long));
    faster();
    const next = await computer.print(document('job-2.txt'));
    assert.equal((await computer.idle()).at(-1), next);
    const [first = [], ...behind] = wordsOnPaper();
    assert.ok(!first.includes('END 009'), String(first));
    assert.deepEqual(behind.at(-1), wordsOf(2));
    const { jobs } = await get<{ jobs: { kind: string; outcome: string }[] }>('/jobs');
    assert.deepEqual(new Set(jobs.map(({ kind }) => kind)), new Set(['ipp']));
  });

  it('waits while the cover is open, says so to CUPS, and prints once it is closed', async () => {
    epson.newJob();
    epson.coverOpen = true;
    const said = await within('cover-open');
    const job = await computer.print(document('job-1.pdf'));
    await cupsSays(/cover-open/);
    assert.deepEqual(papers(), []);
    epson.coverOpen = false;
    const gone = await within('none');
    assert.equal((await computer.idle()).at(-1), job);
    assert.deepEqual(wordsOnPaper(), [wordsOf(1)]);
    assert.ok(Math.max(said, gone) < RIGHT_MS, `${said} ms, ${gone} ms`);
    await cupsSays(/none/);
  });

  it('keeps a job while the printer is unplugged, and prints it when it is back', async () => {
    epson.newJob();
    await epson.gadget.unplug();
    const said = await within('connecting-to-device');
    const job = await computer.print(document('job-3.png'));
    await cupsSays(/./);
    await epson.gadget.plug();
    const gone = await within('none');
    assert.equal((await computer.idle()).at(-1), job);
    assert.deepEqual(wordsOnPaper(), [wordsOf(3)]);
    assert.ok(Math.max(said, gone) < RIGHT_MS, `${said} ms, ${gone} ms`);
  });

  it('does not print a job twice in the middle of which the printer was pulled, and the next one is whole', async () => {
    epson.newJob();
    const faster = slowed();
    await computer.print(document('five.pdf'));
    await until(async () => epson.job.length > 8000 || undefined, 'the first page', CASE_MS, LOOK_MS);
    await epson.gadget.unplug();
    const said = await within('connecting-to-device');
    faster();
    epson.newJob();
    const next = await computer.print(document('job-2.txt'));
    await epson.gadget.plug();
    const gone = await within('none');
    assert.equal((await computer.idle()).at(-1), next);
    assert.deepEqual(wordsOnPaper(), [wordsOf(2)]);
    assert.ok(Math.max(said, gone) < RIGHT_MS, `${said} ms, ${gone} ms`);
    const { jobs } = await get<{ jobs: { kind: string; outcome: string }[] }>('/jobs');
    assert.deepEqual(
      jobs.slice(0, 2).map(({ outcome }) => outcome === 'uncertain'),
      [false, true],
    );
  });

  for (const file of FILES)
    it(`passes ${file}`, async () => {
      const faster = slowed();
      const out = await onComputer('ipptool', argumentsOf(URI, file), LAB_DOCUMENTS);
      faster();
      assert.deepEqual(faultsIn(out), []);
      assert.match(out, /\[PASS\]/);
    });

  it('says of itself what the printer does that CUPS has for tests', async () => {
    const own = new Set(namesIn(await attributesOf(URI)));
    const theirs = namesIn(await attributesOf(await startReference()));
    assert.ok(theirs.length > 100, String(theirs.length));
    assert.deepEqual(theirs.filter((name) => !own.has(name)).sort(), LEFT_OUT);
  });
}
