/** Above every panel: what may be half printed, until somebody says what the paper shows. */
import { Button, Card, clock, type PanelProps, speech, useLoaded } from '../../page/kit.ts';
import { kindOf, ofKind } from './panel-words.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

/** One card for each job in doubt; nothing where there is none, and then nothing is asked for either. */
export function Doubts({ node }: PanelProps) {
  const uncertain = node.status?.jobs?.uncertain ?? 0;
  // Asked again where another tab has settled one.
  return uncertain > 0 ? <InDoubt key={uncertain} node={node} /> : null;
}

function InDoubt({ node }: PanelProps) {
  const { data, reload } = useLoaded(node.client.jobs);
  const jobs = data?.jobs.filter(({ outcome }) => outcome === 'uncertain') ?? [];
  const settle = (seq: number, printed: boolean) => async () => {
    await node.client.settle({ seq, printed });
    await Promise.all([reload(), node.refresh()]);
    return undefined;
  };
  return (
    <>
      {jobs.map((job) => (
        <Card
          key={job.seq}
          urgent
          title={ofKind('doubt', job, { time: clock(job.startedAgoMs), what: kindOf(job), at: job.endpoint })}
        >
          {job.totalBytes !== undefined && <p>{say('bytesAtLeast', { n: job.bytes, total: job.totalBytes })}</p>}
          {node.mayPrint && (
            <div class="row">
              <Button onPress={settle(job.seq, true)}>{ofKind('cameOut', job)}</Button>
              <Button onPress={settle(job.seq, false)}>{ofKind('didNot', job)}</Button>
            </div>
          )}
        </Card>
      ))}
    </>
  );
}
