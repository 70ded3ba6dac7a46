/** Why the node was started, and how it ended. */

import type { Status } from '../../client/client.ts';
import {
  Badge,
  Button,
  Card,
  definePanel,
  duration,
  Facts,
  type PanelProps,
  Table,
  useLoaded,
} from '../../exports/panel.ts';
import type { BootEntry, CrashSummary } from './contract.ts';

const REASONS: Readonly<Record<string, string>> = {
  power_on: 'power on',
  out_of_memory: 'out of memory',
  uncaught_error: 'an error nobody caught',
};
const inWords = (reason: string) => REASONS[reason] ?? reason;

function View({ node }: PanelProps) {
  const { data, fault, reload } = useLoaded(node.client.bootlog);
  if (data === undefined) return <p>{fault ?? 'Asking the node…'}</p>;
  const clear = (part: () => Promise<unknown>) => async () => {
    await part();
    await reload();
    return 'Cleared.';
  };
  return (
    <>
      {node.status && <Notices boot={node.status.boot} version={node.status.identity.firmwareVersion} />}
      <Card title="Starts">
        <Starts boots={data.boots} />
        {node.maySave && data.boots.length > 0 && (
          <Button confirm="Clear the list of starts?" onPress={clear(node.client.clearBoots)}>
            Clear
          </Button>
        )}
      </Card>
      <Card title="Last crash">
        {data.crash === null ? <p class="quiet">None is on record.</p> : <Crash crash={data.crash} />}
        {node.maySave && data.crash !== null && (
          <Button confirm="Clear the crash record?" onPress={clear(node.client.clearCrash)}>
            Clear
          </Button>
        )}
      </Card>
    </>
  );
}

/** What somebody who looks after the node should know first. */
const Notices = ({ boot, version }: { boot: Status['boot']; version: string }) => (
  <>
    {boot.crashes > 0 && (
      <p class="bad">
        In its last hour of running this node ended by itself {boot.crashes} {boot.crashes === 1 ? 'time' : 'times'}.
      </p>
    )}
    {!boot.kept && <p class="bad">The disk takes nothing: this node prints, and keeps no change.</p>}
    {boot.superseded && (
      <p>
        The factory image {version} runs, because it is newer than {boot.superseded.firmwareVersion} in slot{' '}
        {boot.superseded.slot}.
      </p>
    )}
  </>
);

const Starts = ({ boots }: { boots: readonly BootEntry[] }) => (
  <Table
    caption="The last starts"
    head={['Start', 'Why', 'Version', 'Slot', 'Ran', 'End']}
    empty="No start is on record."
    rows={boots.map(({ bootId, reason, firmwareVersion, slot, uptimeSeconds, clean }, index) => ({
      key: bootId,
      cells: [
        <code key="id">{bootId}</code>,
        inWords(reason),
        firmwareVersion,
        slot,
        duration(uptimeSeconds * 1000),
        index === 0 && !clean ? (
          <Badge key="end">runs now</Badge>
        ) : (
          <Badge key="end" tone={clean ? 'good' : 'warn'}>
            {clean ? 'in order' : 'not in order'}
          </Badge>
        ),
      ],
    }))}
  />
);

const Crash = ({ crash }: { crash: CrashSummary }) => (
  <>
    <Facts
      rows={[
        ['What', inWords(crash.reason)],
        ['Version', crash.firmwareVersion],
        ['When', crash.time],
        ['After', duration(crash.uptimeSeconds * 1000)],
        ['Error', crash.name && `${crash.name}: ${crash.message ?? ''}`],
        ['Detail', crash.detail],
      ]}
    />
    {crash.stack && <pre>{crash.stack.join('\n')}</pre>}
  </>
);

export default definePanel({ id: 'boots', title: 'Boot log', order: 170, View });
