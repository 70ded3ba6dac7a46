/** The panel of the boot log. */

import type { Status } from '../../client/client.ts';
import {
  Asking,
  Badge,
  Button,
  Card,
  definePanel,
  duration,
  Facts,
  type PanelProps,
  slotName,
  speech,
  Table,
  useLoaded,
} from '../../page/kit.ts';
import type { BootEntry, CrashSummary } from './contract.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

const inWords = (reason: string): string => say.find(reason) ?? reason;

function View({ node }: PanelProps) {
  const { data, fault, reload } = useLoaded(node.client.bootlog);
  if (data === undefined) return <Asking fault={fault} />;
  const clear = (part: () => Promise<unknown>) => async () => {
    await part();
    await reload();
    return say('cleared');
  };
  return (
    <>
      {node.status && <Notices boot={node.status.boot} version={node.status.identity.firmwareVersion} />}
      <Card title={say('starts')}>
        <Starts boots={data.boots} />
        {node.maySave && data.boots.length > 0 && (
          <Button confirm={say('clearStarts')} onPress={clear(node.client.clearBoots)}>
            {say('clear')}
          </Button>
        )}
      </Card>
      <Card title={say('lastCrash')}>
        {data.crash === null ? <p class="quiet">{say('noCrash')}</p> : <Crash crash={data.crash} />}
        {node.maySave && data.crash !== null && (
          <Button confirm={say('clearCrash')} onPress={clear(node.client.clearCrash)}>
            {say('clear')}
          </Button>
        )}
      </Card>
    </>
  );
}

/** What the person who maintains the node should know first. */
const Notices = ({ boot, version }: { boot: Status['boot']; version: string }) => (
  <>
    {boot.crashes > 0 && <p class="bad">{say('crashes', { n: boot.crashes })}</p>}
    {!boot.kept && <p class="bad">{say('notKept')}</p>}
    {boot.superseded && (
      <p>
        {say('superseded', { version, older: boot.superseded.firmwareVersion, slot: slotName(boot.superseded.slot) })}
      </p>
    )}
  </>
);

const Starts = ({ boots }: { boots: readonly BootEntry[] }) => (
  <Table
    caption={say('lastStarts')}
    head={[say('start'), say('why'), say('version'), say('slot'), say('ran'), say('end')]}
    empty={say('noStart')}
    rows={boots.map(({ bootId, reason, firmwareVersion, slot, uptimeSeconds, clean }, index) => ({
      key: bootId,
      cells: [
        <code key="id">{bootId}</code>,
        inWords(reason),
        firmwareVersion,
        slotName(slot),
        duration(uptimeSeconds * 1000),
        index === 0 && !clean ? (
          <Badge key="end">{say('runsNow')}</Badge>
        ) : (
          <Badge key="end" tone={clean ? 'good' : 'warn'}>
            {clean ? say('inOrder') : say('notInOrder')}
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
        [say('what'), inWords(crash.reason)],
        [say('version'), crash.firmwareVersion],
        [say('when'), crash.time],
        [say('after'), duration(crash.uptimeSeconds * 1000)],
        [say('error'), crash.name && `${crash.name}: ${crash.message ?? ''}`],
        [say('detail'), crash.detail],
      ]}
    />
    {crash.stack && <pre>{crash.stack.join('\n')}</pre>}
  </>
);

export default definePanel({ id: 'boots', title: say('title'), order: 170, View });
