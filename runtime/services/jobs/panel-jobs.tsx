/** The jobs as the page has them: asked for when the node says that they changed, and how far those are that go on. */
import { useEffect } from 'preact/hooks';
import { type Loaded, type PageNode, type Tone, useLoaded } from '../../page/kit.ts';
import type { Jobs } from './client.ts';
import type { RecentJob } from './contract.ts';

/** The tone of what came of a job. */
export const TONES: Readonly<Record<RecentJob['outcome'], Tone>> = {
  running: 'plain',
  accepted: 'good',
  confirmed: 'good',
  unconfirmed: 'warn',
  uncertain: 'bad',
  partial: 'bad',
  failed: 'bad',
};

/** Hours go by without a change. */
const AGAIN_MS = 60_000;

/** GET /jobs, once for each change of it; while a job is in progress, with each look at the status. */
export function useJobs({ client, status }: Pick<PageNode, 'client' | 'status'>): Loaded<Jobs> {
  const loaded = useLoaded(client.jobs, AGAIN_MS);
  const { data, reload } = loaded;
  const changes = status?.jobs?.changes;
  const isOld = data !== undefined && changes !== undefined && changes !== data.changes;
  const isRunning = data?.jobs.some(({ outcome }) => outcome === 'running') === true;
  // A node that does not count them is asked each time.
  const isUntold = data !== undefined && data.changes === undefined;
  useEffect(() => {
    if (isOld || isRunning || isUntold) void reload();
  }, [status, reload]);
  return loaded;
}

/** How far a job is that is in progress; nothing of another. */
export const Progress = ({ job: { outcome, bytes, totalBytes }, label }: { job: RecentJob; label?: string }) =>
  outcome === 'running' ? (
    <progress aria-label={label} {...(totalBytes !== undefined && { value: bytes, max: totalBytes })} />
  ) : null;
