/** Alerts: what goes on, and what is over. */
import { Button } from '../../page/kit/action.tsx';
import { Badge } from '../../page/kit/badge.tsx';
import { SelectField } from '../../page/kit/fields.tsx';
import { Card } from '../../page/kit/layout.tsx';
import type { Alert } from '../alerts/contract.ts';
import { isOfFleet } from '../alerts/subjects.ts';
import type { NodeDetail } from '../nodes/contract.ts';
import { type Address, linkTo } from './address.ts';
import { Allowed } from './allowed.tsx';
import { ask, useAsked } from './api.ts';
import { FilterField } from './filter.tsx';
import { Oddities } from './node.tsx';
import { count, fullTime, NodeLink, Shown, SiteLink, Text, When } from './pieces.tsx';
import { say } from './say.ts';
import { Scroll } from './scroll.tsx';

const LOOK_MS = 10_000;

/** Alerts, and what is wrong with requests. */
export function AlertsView({ address: { parameters } }: { address: Address }) {
  const { open = '', subject = '', filter = '' } = parameters;
  const oddities = useAsked<{ oddities: NodeDetail['oddities'] }>('oddities', LOOK_MS);
  const take = (alert: Alert, reload: () => Promise<void>) => async () => {
    await ask('POST', `alerts/${alert.id}/acknowledge`);
    await reload();
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
            location.hash = linkTo('alerts', '', { ...parameters, open: value });
          }}
        />
        <FilterField filter={filter} view="alerts" parameters={{ open }} />
        {subject !== '' && (
          <p>
            <Text>{subject}</Text> · <a href={linkTo('alerts', '', { open })}>{say('ofAllNodes')}</a>
          </p>
        )}
        <Scroll<{ alerts: readonly Alert[]; total: number }, Alert>
          caption={say('alerts')}
          head={[say('what'), say('subject'), say('site'), say('began'), say('ended'), say('looksAfter')]}
          path="alerts"
          query={{ open, subject, filter }}
          pageOf={({ alerts, total }) => ({ rows: alerts, total })}
          keyOf={({ id }) => id}
          cellsOf={(alert, reload) => [
            <Badge key="rule" tone={alert.ended === null ? 'bad' : 'plain'}>
              {say.find(`state_${alert.rule}`) ?? alert.rule}
            </Badge>,
            alert.rule.startsWith('rollout_') ? (
              <a key="rollout" href={linkTo('rollout', alert.subject.replace(/\D+/g, ''))}>
                {say('rollout', { id: alert.subject.replace(/\D+/g, '') })}
              </a>
            ) : isOfFleet(alert.rule) ? (
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
                <Button onPress={take(alert, reload)}>{say('acknowledge')}</Button>
              </Allowed>
            ) : (
              ''
            ),
          ]}
          told={(total) => say('alertsFit', { n: count(total) })}
          empty={say('noAlerts')}
        />
      </Card>
      <Shown asked={oddities}>{(data) => <Oddities oddities={data.oddities} />}</Shown>
    </>
  );
}
