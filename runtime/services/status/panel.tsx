/** The panel of endpoints and their devices, rejections, and devices that no room drives. */
import { useState } from 'preact/hooks';
import type { Status } from '../../client/client.ts';
import {
  Asking,
  ago,
  Badge,
  Button,
  Card,
  Condition,
  definePanel,
  deviceName,
  kindName,
  type PanelProps,
  reasonOf,
  State,
  speech,
  Table,
  useLoaded,
  WhatToDo,
} from '../../page/kit.ts';
import type { UnknownDevices } from './client.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

const UNKNOWN_MS = 10_000;

/** Why a device is not bound (contract, rejections). */
function why(code: string, detail?: string): string {
  const reason = reasonOf(code);
  return detail ? say('detailed', { reason, detail }) : reason;
}

type Choice = { kind: string; codec?: string | undefined; options?: Readonly<Record<string, unknown>> | undefined };
const choiceOf = ({ kind, codec, options = {} }: Choice) =>
  [kind, codec, ...Object.entries(options).map(([option, value]) => `${option} ${value}`)].filter(Boolean).join(', ');
type Disagreement = NonNullable<NonNullable<Status['peripherals'][number]['recipe']>['disagreement']>;
function disagreed({ derived, builtin, row, followed, reason }: Disagreement): string {
  const cloud = { id: row.id, row: choiceOf(row), reason };
  if (builtin !== undefined) return say('otherOptions', { own: builtin.id, builtin: choiceOf(builtin), ...cloud });
  return say(followed ? 'followed' : 'notFollowed', { derived: derived ? choiceOf(derived) : '', ...cloud });
}

function Recipe({ recipe }: { recipe: Status['peripherals'][number]['recipe'] | undefined }) {
  if (recipe === undefined) return <>–</>;
  const { id, tier, codec, disagreement } = recipe;
  return (
    <>
      {say('recipeIs', { id, codec, tier: say.find(`tier_${tier}`) ?? tier })}
      {disagreement && (
        <p>
          <Badge tone="warn">{disagreed(disagreement)}</Badge>
        </p>
      )}
    </>
  );
}

/** What is plugged in and serves nobody, whatever room it would be of: each with the reason and what to do about it. */
function Unused({ node }: PanelProps) {
  const unused = node.status?.rejections.filter(({ connected }) => connected) ?? [];
  if (unused.length === 0) return null;
  return (
    <Card title={say('unused')}>
      {unused.map((device, index) => (
        <State
          key={index}
          tone="warn"
          words={say('unusedIs', { device: deviceName(device), reason: reasonOf(device.reason) })}
          code={device.reason}
        />
      ))}
    </Card>
  );
}

function View({ node }: PanelProps) {
  const { data, fault } = useLoaded(node.client.unknownDevices, UNKNOWN_MS);
  const { status } = node;
  if (status === undefined) return <Asking />;
  return (
    <>
      {status.usb.state !== 'ok' && (
        <p class="bad">
          {say(status.usb.state)}
          <WhatToDo code={status.usb.state} />
        </p>
      )}
      {status.faults.map(({ plugin, where, error, times, off }) => (
        <p class="bad" key={`${plugin} ${where} ${error}`}>
          {off ? say('pluginOff', { plugin, error }) : say('pluginFailed', { plugin, where, error, n: times })}
        </p>
      ))}
      <Card title={say('plugged')}>
        <Table
          caption={say('pluggedCaption')}
          head={[say('endpoint'), say('condition'), say('device'), say('port'), say('recipe')]}
          empty={say('noEndpoints')}
          rows={status.peripherals.map(({ endpoint, condition, device, recipe, sinceMs, reason }) => ({
            key: endpoint,
            cells: [
              endpoint,
              <>
                <Condition condition={condition} sinceMs={sinceMs} />
                {reason && (
                  <p class="quiet">
                    {why(reason)}
                    <WhatToDo code={reason} />
                  </p>
                )}
              </>,
              device ? deviceName(device) : '–',
              device?.port ?? '–',
              <Recipe key="recipe" recipe={recipe} />,
            ],
          }))}
        />
      </Card>
      <Card title={say('refused')}>
        <Table
          caption={say('refusedCaption')}
          head={[say('device'), say('ids'), say('takenFor'), say('why'), say('when')]}
          empty={say('noneRefused')}
          rows={status.rejections.map((refused, index) => ({
            key: index,
            cells: [
              deviceName(refused),
              `${refused.vendorId}:${refused.productId}`,
              kindName(refused.class),
              <>
                <bdi>{why(refused.reason, refused.detail)}</bdi>
                <WhatToDo code={refused.reason} />
              </>,
              ago(refused.ageMs),
            ],
          }))}
        />
      </Card>
      <Card title={say('unknown')}>
        {fault && <p class="bad">{fault}</p>}
        {data && <Unknown devices={data.devices} />}
      </Card>
    </>
  );
}

const Unknown = ({ devices }: UnknownDevices) => (
  <>
    <Table
      caption={say('unknownCaption')}
      head={[say('device'), say('ids'), say('state'), say('when')]}
      empty={say('allDriven')}
      rows={devices.map((device, index) => ({
        key: index,
        cells: [
          deviceName(device),
          `${device.vendorId}:${device.productId}`,
          device.reason === null
            ? say(`state_${device.state}`)
            : say('stateWhy', { state: say(`state_${device.state}`), reason: why(device.reason, device.detail) }),
          ago(device.ageMs),
        ],
      }))}
    />
    {devices.length > 0 && <p class="quiet">{say('sendRow')}</p>}
    {devices.map(({ draftRow }, index) => (
      <Row key={index} row={draftRow} />
    ))}
  </>
);

function Row({ row }: { row: UnknownDevices['devices'][number]['draftRow'] }) {
  const [open, setOpen] = useState(false);
  const text = JSON.stringify(row, null, 2);
  return (
    <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{say('rowFor', { device: deviceName(row), ids: `${row.vendorId}:${row.productId}` })}</summary>
      {open && (
        <div class="stack">
          <pre>{text}</pre>
          <Button onPress={() => copy(text)}>{say('copy')}</Button>
        </div>
      )}
    </details>
  );
}

/** Browsers have the clipboard API only on secure origins, and a node uses plain HTTP. */
async function copy(text: string): Promise<string> {
  if (navigator.clipboard === undefined) throw new Error(say('noCopy'));
  await navigator.clipboard.writeText(text);
  return say('copied');
}

export default definePanel({ id: 'devices', title: say('title'), order: 55, View, Overview: Unused });
