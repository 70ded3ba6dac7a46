/** One connection as jobs of the list: from the first byte to print to the end, and what they are counted as. */
import { expect, it } from 'vitest';
import { Listing } from '../../../../plugins/printer/raw/listing.ts';
import type { JobEnd, JobsOffer, NewJob } from '../../../../runtime/services/jobs/contract.ts';

function list() {
  const job = { written: 0, cuts: 0, hasTurn: false, turnAt: undefined as number | undefined };
  const begun: NewJob[] = [];
  const ended: JobEnd[] = [];
  const counted: (readonly [string, string, number | undefined])[] = [];
  const offer = {
    begin: (each: NewJob) => {
      begun.push(each);
      return { end: (end: JobEnd) => ended.push(end) };
    },
    count: (endpoint: string, what: string, n?: number) => counted.push([endpoint, what, n]),
  };
  const node = { offered: () => offer as unknown as JobsOffer };
  const listing = new Listing(node as never, 'receipt', '192.0.2.7', job);
  return { job, listing, begun, ended, counted };
}

it('a connection is listed once, with what tells how far it is', () => {
  const { job, listing, begun } = list();
  listing.begin();
  listing.begin();
  expect(begun).toMatchObject([{ kind: 'port9100', endpoint: 'receipt', from: '192.0.2.7' }]);
  Object.assign(job, { written: 7, hasTurn: true });
  expect(begun[0]?.progress).toMatchObject({ written: 7, hasTurn: true });
});

it('the turn of a job is one that it got since it was listed', () => {
  const { job, listing, begun } = list();
  job.turnAt = performance.now();
  listing.begin();
  const later = performance.now() + 1;
  listing.end();
  job.turnAt = later - 10_000;
  listing.begin();
  expect(begun[1]?.progress?.turnAt).toBeUndefined();
  job.turnAt = later;
  expect(begun[1]?.progress?.turnAt).toBe(later);
});

it('each cut is a receipt, and what was written without one, too', () => {
  const { job, listing, ended, counted } = list();
  listing.begin();
  Object.assign(job, { written: 100, cuts: 3 });
  listing.end();
  const cut = [
    ['receipt', 'receipts', 3],
    ['receipt', 'cuts', 3],
  ];
  expect(counted).toEqual(cut);
  listing.begin();
  job.written = 101;
  listing.end();
  expect(counted).toEqual([...cut, ['receipt', 'receipts', 1], ['receipt', 'cuts', 0]]);
  expect(ended).toEqual([{ pulsesDropped: 0 }, { pulsesDropped: 0 }]);
});

it('the next job of the connection begins at nothing', () => {
  const { job, listing, ended } = list();
  listing.begin();
  listing.pulseDropped();
  listing.pulseDropped();
  job.written = 100;
  listing.end('invalid_body', { missingBytes: 5 });
  listing.begin();
  expect(listing.written).toBe(0);
  listing.end();
  expect(ended).toEqual([{ error: 'invalid_body', missingBytes: 5, pulsesDropped: 2 }, { pulsesDropped: 0 }]);
});

it('no receipt is counted of one that failed, that wrote nothing, or that is not listed', () => {
  const { job, listing, ended, counted } = list();
  listing.begin();
  listing.end();
  listing.begin();
  job.written = 100;
  listing.end('write_failed');
  listing.end();
  expect([ended.length, counted]).toEqual([2, []]);
});

it('a connection without a list says what it wrote, all the same', () => {
  const job = { written: 5, cuts: 0, hasTurn: true, turnAt: 0 };
  const listing = new Listing({ offered: () => undefined } as never, 'receipt', '192.0.2.7', job);
  listing.begin();
  job.written = 12;
  listing.end();
  expect(listing.written).toBe(7);
});
