/** GET /jobs: what was printed and kicked lately, for whom, what came of it, and what is in doubt; and the counters of the devices. */
import { definePlugin, routesOf } from '../../kernel/plugin.ts';
import { Jobs as JobsAnswer, JobsStatus, SettleBody, Settled, StoredCounters, StoredJob } from './contract.ts';
import { JobList } from './jobs.ts';

/** How often it is looked whether the counters are to be stored. */
const LOOK_MS = 60 * 60 * 1000;

/** What of a printer's status keeps it from printing, as far as that is known: a fault may be where the rest is not. */
const troubleOf = (printer: { readonly paperOut: boolean; readonly coverOpen: boolean }) =>
  TROUBLES.filter((trouble) => printer[FLAGS[trouble]]);
const TROUBLES = ['paper_out', 'cover_open'] as const;
const FLAGS = { paper_out: 'paperOut', cover_open: 'coverOpen' } as const;

const route = routesOf<JobList>();

export default definePlugin({
  name: 'jobs',
  api: 2,
  status: JobsStatus,
  inputs: [StoredCounters, StoredJob],
  routes: [
    route({
      method: 'GET',
      path: '/jobs',
      tier: 'none',
      summary: 'the last 50 jobs, newest first: commands of every plugin, connections to port 9100',
      response: JobsAnswer,
      handle: ({ room }) => ({ changes: room.changes, jobs: room.view(), waiting: room.waiting, day: room.day.view() }),
    }),
    route({
      method: 'POST',
      path: '/jobs/settle',
      tier: 'strict',
      summary: 'say what the paper shows of a job that is in doubt',
      body: { schema: SettleBody, invalid: 'invalid_command' },
      response: Settled,
      errors: ['invalid_body', 'not_found', 'persist_failed'],
      handle: async ({ room, body }) => {
        await room.settle(body);
        return { ok: true, ...body };
      },
    }),
  ],
  offers: (node) => new JobList(node),
  room(node, jobs) {
    const { hooks } = node;
    const { counters } = jobs;
    hooks.began.tap('jobs', (command) => jobs.take(command));
    hooks.commanded.tap('jobs', (command, result) => jobs.conclude(command, result));
    hooks.attach.tap('jobs', (endpoint) => {
      const state = node.endpoint(endpoint);
      if (state !== undefined) counters.attach(state);
      if (state?.declaration.kind === 'printer') jobs.tell(endpoint, []);
    });
    hooks.detach.tap('jobs', (endpoint) => {
      if (node.endpoint(endpoint)?.declaration.kind === 'printer') jobs.tell(endpoint, ['unplugged']);
    });
    hooks.event.tap('jobs', (event) => {
      if (event.type === 'printer_status') jobs.tell(event.endpoint, troubleOf(event));
    });
    hooks.status.tap('jobs', (draft) => {
      draft['jobs'] = { uncertain: jobs.uncertain, changes: jobs.changes };
      draft['counters'] = counters.status(node.endpoints());
    });
    let timer: NodeJS.Timeout | undefined;
    hooks.start.tapPromise('jobs', async () => {
      await counters.load(node);
      await jobs.load();
      timer = setInterval(() => {
        if (counters.isDue(performance.now() - node.startedAt)) void counters.store(node);
      }, LOOK_MS).unref();
    });
    hooks.stop.tapPromise('jobs', async () => {
      clearInterval(timer);
      await jobs.stop();
      await counters.store(node);
    });
    return jobs;
  },
});
