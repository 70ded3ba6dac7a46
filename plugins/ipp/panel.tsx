/** How phones and computers print without a driver: the switch, the address, and the way there for each system. */

import type { ComponentChildren } from 'preact';
import {
  Asking,
  Badge,
  Card,
  ConfigForm,
  definePanel,
  Facts,
  type PanelProps,
  type Setting,
  speech,
} from '../../runtime/page/kit.ts';
import { Ipp } from './contract.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

const SWITCH: readonly Setting[] = [
  { key: 'enabled', schema: Ipp.properties.enabled, label: say('enabled'), hint: say('enabledHint') },
];

/** As a browser writes an address in a URL. */
const host = globalThis.location?.hostname ?? '';

function Addresses({ node: { status } }: PanelProps) {
  if (status === undefined) return <Asking />;
  const { port, printers } = status.ipp;
  if (port === undefined) return <Badge tone="plain">{say('closed')}</Badge>;
  if (printers.length === 0) return <p class="quiet">{say('noPrinter')}</p>;
  return (
    <Facts
      rows={printers.map(({ endpoint, path }): [string, ComponentChildren] => [
        endpoint,
        <code key={endpoint} translate={false}>{`ipp://${host}:${port}${path}`}</code>,
      ])}
    />
  );
}

const WAYS = ['ios', 'android', 'windows', 'macos', 'linux'] as const;

const View = ({ node }: PanelProps) => (
  <>
    <Card title={say('title')}>
      <p class="quiet">{say('about')}</p>
      <Addresses node={node} />
      <ConfigForm node={node} at="ipp" settings={SWITCH} />
    </Card>
    <Card title={say('add')}>
      <Facts rows={WAYS.map((way): [string, string] => [say(`${way}_name`), say(way)])} />
      <p class="quiet">{say('tried')}</p>
    </Card>
  </>
);

export default definePanel({ id: 'ipp', title: say('title'), order: 135, View });
