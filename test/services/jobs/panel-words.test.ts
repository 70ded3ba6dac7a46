/** How the page calls a job and what came of it: of a command of another room, in that room's words and of no receipt. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

/** What the document of a page brings along: the words of rooms, here of one from outside. */
const TABLES = [{}, { command_label_print: 'Etikett', fault_label_out: 'Keine Etiketten mehr.' }];

let jobs: typeof import('../../../runtime/services/jobs/panel-words.ts');
let kit: typeof import('../../../runtime/page/kit/sentences.ts');
beforeAll(async () => {
  vi.resetModules();
  const words = { textContent: JSON.stringify(TABLES) };
  vi.stubGlobal('document', { documentElement: { lang: 'en' }, querySelector: () => words });
  jobs = await import('../../../runtime/services/jobs/panel-words.ts');
  kit = await import('../../../runtime/page/kit/sentences.ts');
});
afterAll(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

it.each([
  ['print', 'A receipt may be half printed, 12:00. Look at the printer.', 'in doubt: look at the paper'],
  ['ipp', 'A receipt may be half printed, 12:00. Look at the printer.', 'in doubt: look at the paper'],
  ['drawer_kick', 'The drawer may have opened, 12:00. Look at it.', 'in doubt: look at the drawer'],
  ['label_print', 'Etikett at “label” may be half done, 12:00. Look at the device.', 'in doubt: look at the device'],
  ['coin_pay', 'coin_pay at “label” may be half done, 12:00. Look at the device.', 'in doubt: look at the device'],
])('a %s in doubt is named as what it is', (kind, title, outcome) => {
  const values = { time: '12:00', what: jobs.kindOf({ kind }), at: 'label' };
  expect(jobs.ofKind('doubt', { kind }, values)).toBe(title);
  expect(jobs.ofKind('uncertain', { kind })).toBe(outcome);
});

it('a command of another room is no receipt, and is not said to be printed', () => {
  expect(['print', 'raw', 'port9100', 'ipp', 'epos', 'compose'].filter((kind) => !jobs.isReceipt({ kind }))).toEqual(
    [],
  );
  expect(['drawer_kick', 'label_print'].filter((kind) => jobs.isReceipt({ kind }))).toEqual([]);
  const words = ['confirmed', 'failed', 'unconfirmed', 'cameOut', 'didNot', 'accepted', 'running'] as const;
  expect(words.map((word) => jobs.ofKind(word, { kind: 'label_print' })).join()).not.toMatch(/print|paper|came out/);
});

it.each([
  ['label_out', 'Keine Etiketten mehr.'],
  ['no_display', undefined],
  // Of the table of this node: what the row means.
  ['cover_open', 'The cover of the printer is open. Close it.'],
])('the error %s is said in words of the page or of its room, or as its row means it', (code, said) => {
  if (said === undefined) expect(kit.faultWords(code)).toBeUndefined();
  else expect(kit.faultWords(code)).toMatch(/^[A-Z].*\.$/);
  if (code === 'label_out') expect(kit.faultWords(code)).toBe(said);
});
