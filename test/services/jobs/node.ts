/** The list of recent jobs, as a client reads it. */
import type { RecentJob } from '../../../runtime/services/jobs/contract.ts';
import type { PrintingNode } from '../../node.ts';

export const jobsOf = async ({ get }: Pick<PrintingNode, 'get'>): Promise<RecentJob[]> =>
  (await get<{ jobs: RecentJob[] }>('/jobs')).body.jobs;

/** How many jobs wait for their device. */
export const waitingOn = async ({ get }: Pick<PrintingNode, 'get'>): Promise<number> =>
  (await get<{ waiting: number }>('/jobs')).body.waiting;

/** The newest job without its number and its times. */
export async function newest(node: Pick<PrintingNode, 'get'>): Promise<Omit<RecentJob, 'seq' | 'startedAgoMs' | 'ms'>> {
  const [job] = await jobsOf(node);
  if (job === undefined) throw new Error('no job is listed');
  const { seq: _, startedAgoMs, ms, ...rest } = job;
  if (!(ms >= 0 && startedAgoMs >= ms)) throw new Error(`it took ${ms} ms and began ${startedAgoMs} ms ago`);
  return rest;
}
