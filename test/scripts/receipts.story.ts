/**
 * "The main job for the half of the world whose receipts are question marks": receipts of 30 lines in 29 languages, printed
 * by a node on a printer that has no font for them. What is on the paper, as the printer's bytes make it and as the twin
 * shows it, is read by tesseract, which has to read what it reads of the same receipt drawn by Pango with the same faces;
 * and since it forgives letters that are not joined or stacked, each text is compared dot by dot with its reference, and
 * with the same letters unshaped.
 */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { BROWSER, needTools } from '../tools.ts';
import { examine, type Outcome } from './examine.ts';
import { readingTools } from './ocr.ts';
import { DRAWING_TOOLS } from './pango.ts';
import { type Counter, openCounter, type Printed } from './printed.ts';
import { openScreen, type Screen } from './screen.ts';
import { receipt, type Shop, shops } from './shop.ts';

/** Least part of the words that are read of the reference, and of the texts whose letters change when they are shaped. */
const WORDS = 0.95;
const TEXTS = 0.9;
/** In `.ci/run` (`SHOPS=third`) a third of the languages, another one each day. */
const isTried = process.env['SHOPS'] === 'third' ? (at: number) => (at + new Date().getDate()) % 3 === 0 : () => true;
const tried = shops.filter((_, at) => isTried(at));
const lacking = needTools([BROWSER, ...DRAWING_TOOLS, ...readingTools(tried.map(({ ocr }) => ocr))]);

describe.skipIf(lacking !== undefined)('a receipt in', () => {
  let screen: Screen;
  let counter: Counter;
  const jobs = new Map<Shop, Printed>();
  const outcomes = new Map<Shop, Promise<Outcome>>();

  beforeAll(async () => {
    [screen, counter] = await Promise.all([openScreen(), openCounter()]);
    for (const shop of tried) jobs.set(shop, await counter.print(receipt(shop)));
  });
  afterAll(() => Promise.all([screen.close(), counter.stop()]));

  const outcomeOf = (shop: Shop): Promise<Outcome> => {
    const outcome = outcomes.get(shop) ?? examine(shop, jobs.get(shop)!, screen);
    outcomes.set(shop, outcome);
    return outcome;
  };

  it.concurrent.for(tried)('$language is printed without a question mark', async (shop, { expect }) => {
    const { job, printout } = await outcomeOf(shop);
    expect(job.detail).toBeUndefined();
    expect(printout.rows.map(({ text }) => text).join('\n')).not.toContain('?');
  });

  it.concurrent.for(tried)('$language is read back from the printed bytes', async (shop, { expect }) => {
    const { ofBytes } = await outcomeOf(shop);
    expect(ofBytes.missed.length, ofBytes.missed.join(', ')).toBeLessThanOrEqual((1 - WORDS) * ofBytes.words);
  });

  it.concurrent.for(tried)('$language is read back from the paper', async (shop, { expect }) => {
    const { ofPaper } = await outcomeOf(shop);
    expect(ofPaper.missed.length, ofPaper.missed.join(', ')).toBeLessThanOrEqual((1 - WORDS) * ofPaper.words);
  });

  it.concurrent.for(tried)('$language has its letters joined, stacked and ordered', async (shop, { expect }) => {
    const { texts, unlike } = (await outcomeOf(shop)).shaped;
    expect(unlike.length, unlike.join(', ')).toBeLessThanOrEqual((1 - TEXTS) * texts);
  });
});
