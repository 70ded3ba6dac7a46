/** What an IPP printer says of a job (RFC 8011, 5.3). */
import {
  date,
  enumerated,
  type IppAttributes,
  integer,
  keyword,
  NO_VALUE,
  nameOf,
  text,
  uri,
  type Written,
} from '../../codecs/ipp.ts';
import { type IppJob, JOB } from './job.ts';
import { upTime, upTimeOf } from './printer-attributes.ts';
import type { Queue } from './queue.ts';

/** The attributes of a job for a client that did not say which ones it wants. */
export const BRIEF: readonly string[] = ['job-id', 'job-uri', 'job-state', 'job-state-reasons', 'job-state-message'];

/** `printerUri`: of its printer, as the client reached it; `startedAt`: of the node. */
export function jobAttributes(job: IppJob, queue: Queue, printerUri: string, startedAt: number): IppAttributes {
  const { createdAt, processingAt, completedAt, parts } = job;
  const state = queue.stateOf(job);
  const seconds = (at: Date | undefined): Written => (at === undefined ? NO_VALUE : integer(upTimeOf(startedAt, at)));
  const dated = (at: Date | undefined): Written => (at === undefined ? NO_VALUE : date(at));
  return {
    'job-id': integer(job.id),
    'job-uri': uri(`${printerUri}/${job.id}`),
    'job-uuid': uri(`urn:uuid:${job.uuid}`),
    'job-printer-uri': uri(printerUri),
    'job-name': nameOf(parts.name),
    'job-originating-user-name': nameOf(parts.user),
    'job-state': enumerated(state),
    'job-state-reasons': keyword(state === JOB.stopped ? 'printer-stopped' : job.reason),
    'job-state-message': text(job.message),
    'job-impressions-completed': integer(job.impressions),
    'job-media-sheets-completed': integer(job.impressions),
    'time-at-creation': seconds(createdAt),
    'time-at-processing': seconds(processingAt),
    'time-at-completed': seconds(completedAt),
    'date-time-at-creation': date(createdAt),
    'date-time-at-processing': dated(processingAt),
    'date-time-at-completed': dated(completedAt),
    'job-printer-up-time': integer(upTime(startedAt)),
    copies: integer(parts.wishes.copies),
  };
}
