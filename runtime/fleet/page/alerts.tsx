/** Alerts: what goes on, and what is over. */
import { Button } from '../../page/kit/action.tsx';
import { Badge } from '../../page/kit/badge.tsx';
import { SelectField } from '../../page/kit/fields.tsx';
import { Card, Table } from '../../page/kit/layout.tsx';
import type { Alert } from '../alerts/contract.ts';
import type { NodeDetail } from '../nodes/contract.ts';
import { type Address, linkTo } from './address.ts';
import { Allowed } from './allowed.tsx';
import { ask, useAsked } from './api.ts';
import { FilterField } from './filter.tsx';
import { Oddities } from './node.tsx';
import { count, fullTime, NodeLink, Pager, Shown, SiteLink, Text, When } from './pieces.tsx';
import { say } from './say.ts';

const LOOK_MS = 10_000;
const PAGE = 100;

/** Alerts, and what is wrong with requests. */
export function AlertsView({ address: { parameters } }: { address: Address }) {
  const { open = '', subject = '', before = '', filter = '' } = parameters;
  const given = Object.entries({ open, subject, before, filter, limit: String(PAGE) }).filter(
    ([, value]) => value !== '',
  );
  const asked = useAsked<{ alerts: readonly Alert[]; total: number }>(`alerts?${new URLSearchParams(given)}`, LOOK_MS);
  const oddities = useAsked<{ oddities: NodeDetail['oddities'] }>('oddities', LOOK_MS);
  const take = (alert: Alert) => async () => {
    await ask('POST', `alerts/${alert.id}/acknowledge`);
    await asked.reload();
    return undefined;
  };
  return (
    <>
      <Card>
        <SelectField
          label={say('which')}
          value={open}
          options={[
            ['', say('all')],
            ['true', say('goingOn')],
            ['false', say('over')],
          ]}
          onValue={(value) => {
            location.hash = linkTo('alerts', '', { ...parameters, before: '', open: value });
          }}
        />
        <FilterField filter={filter} view="alerts" parameters={{ open }} />
        {subject !== '' && (
          <p>
            <Text>{subject}</Text> · <a href={linkTo('alerts', '', { open })}>{say('ofAllNodes')}</a>
          </p>
        )}
        <Shown asked={asked}>
          {({ alerts, total }) => (
            <>
              <p role="status">{say('alertsFit', { n: count(total) })}</p>
              <Table
                caption={say('alerts')}
                head={[say('what'), say('subject'), say('site'), say('began'), say('ended'), say('looksAfter')]}
                rows={alerts.map((alert) => ({
                  key: alert.id,
                  cells: [
                    <Badge key="rule" tone={alert.ended === null ? 'bad' : 'plain'}>
                      {say.find(`state_${alert.rule}`) ?? alert.rule}
                    </Badge>,
                    alert.rule.startsWith('rollout_') ? (
                      <a key="rollout" href={linkTo('rollout', alert.subject.replace(/\D+/g, ''))}>
                        {say('rollout', { id: alert.subject.replace(/\D+/g, '') })}
                      </a>
                    ) : alert.rule === 'ingest_refused' ? (
                      <Text key="fleet">{alert.subject}</Text>
                    ) : (
                      <span key="node">
                        <NodeLink id={alert.subject} /> <Text>{alert.name}</Text>
                      </span>
                    ),
                    alert.site === null ? '' : <SiteLink key="site" site={alert.site} />,
                    <When key="began" at={alert.began} />,
                    alert.ended === null ? say('goingOn') : fullTime(alert.ended),
                    alert.acknowledgedBy !== null ? (
                      <Text key="by">{alert.acknowledgedBy}</Text>
                    ) : alert.ended === null ? (
                      <Allowed key="take" takes="operator">
                        <Button onPress={take(alert)}>{say('acknowledge')}</Button>
                      </Allowed>
                    ) : (
                      ''
                    ),
                  ],
                }))}
                empty={say('noAlerts')}
              />
              <Pager
                view="alerts"
                parameters={parameters}
                cursor="before"
                next={alerts.length === PAGE ? String(alerts.at(-1)?.id ?? '') : ''}
              />
            </>
          )}
        </Shown>
      </Card>
      <Shown asked={oddities}>{(data) => <Oddities oddities={data.oddities} />}</Shown>
    </>
  );
}
