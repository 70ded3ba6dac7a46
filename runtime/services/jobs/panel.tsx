/** What was printed and kicked lately, for whom, and what came of it: "it did not print" is looked up here. */
import { Fragment } from 'preact';
import {
  Asking,
  Badge,
  Card,
  clock,
  definePanel,
  duration,
  faultWords,
  type PanelProps,
  speech,
  Table,
  WhatToDo,
} from '../../page/kit.ts';
import type { RecentJob } from './contract.ts';
import { Today } from './panel-day.tsx';
import { Doubts } from './panel-doubt.tsx';
import { Progress, TONES, useJobs } from './panel-jobs.tsx';
import { isReceipt, kindOf, ofKind } from './panel-words.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

function View({ node }: PanelProps) {
  const { data, fault } = useJobs(node);
  if (data === undefined) return <Asking fault={fault} />;
  return (
    <Card>
      {fault && <p class="bad">{fault}</p>}
      <p class="quiet">{say('about')}</p>
      <Table
        caption={say('title')}
        head={[say('when'), say('what'), say('at'), say('from'), say('outcome'), say('size')]}
        empty={say('nothing')}
        rows={data.jobs.map((job, index) => ({
          // A new job comes before the others, which keep their place from the end.
          key: data.jobs.length - index,
          cells: [
            <When key="when" job={job} />,
            kindOf(job),
            <code key="at">{job.endpoint}</code>,
            job.from === 'node' ? say('node') : <code key="from">{job.from}</code>,
            <Outcome key="outcome" job={job} />,
            <Fragment key="size">
              {job.totalBytes === undefined
                ? say('bytes', { n: job.bytes })
                : say(job.outcome === 'uncertain' ? 'bytesAtLeast' : 'bytesOf', {
                    n: job.bytes,
                    total: job.totalBytes,
                  })}
              <Progress job={job} />
            </Fragment>,
          ],
        }))}
      />
    </Card>
  );
}

const When = ({ job: { startedAgoMs, ms } }: { job: RecentJob }) => (
  <>
    {clock(startedAgoMs)}
    <p class="quiet">{say('took', { time: ms < 10_000 ? say('ms', { n: ms }) : duration(ms) })}</p>
  </>
);

const Outcome = ({ job }: { job: RecentJob }) => (
  <>
    <Badge tone={TONES[job.outcome]}>{ofKind(job.outcome, job)}</Badge>
    <WhatToDo code={job.error ?? (isReceipt(job) ? job.outcome : undefined)} />
    <Why job={job} />
  </>
);

const Why = ({ job: { outcome, settled, error, missingBytes, language, pulsesDropped } }: { job: RecentJob }) => (
  <>
    {settled && <p class="quiet">{say('settled')}</p>}
    {outcome === 'uncertain' && error === undefined && <p class="quiet">{say('why_stopped')}</p>}
    {missingBytes !== undefined ? (
      <p class="quiet">{say('why_missing', { n: missingBytes })}</p>
    ) : (
      error !== undefined && (
        <p class="quiet">{say.find(`why_${error}`) ?? faultWords(error) ?? <code>{error}</code>}</p>
      )
    )}
    {language !== undefined && (
      <p class="quiet">
        <bdi>{language}</bdi>
      </p>
    )}
    {pulsesDropped !== undefined && <p class="quiet">{say('pulses', { n: pulsesDropped })}</p>}
  </>
);

export default definePanel({ id: 'jobs', title: say('title'), order: 25, View, Notice: Doubts, Overview: Today });
