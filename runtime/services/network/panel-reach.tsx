/** The addresses of the node, for a person at the till: its name, its addresses, and a QR code for a phone. */
import { isLoopback } from '../../base/loopback.ts';
import { Badge, Card, Facts, nodeName, type PanelProps, Qr, speech, useLoaded } from '../../page/kit.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);
const POLL_MS = 10_000;

/** The addresses of the node and a QR code of its page. */
export function ReachCard({ node }: PanelProps) {
  const { data, fault } = useLoaded(node.client.network, POLL_MS);
  const port = location.port === '' ? '' : `:${location.port}`;
  const hosts = [data?.ipv4.address, data?.hostname].filter((host) => typeof host === 'string');
  // The address that this browser uses also works for a phone.
  const reachable = !isLoopback(location.hostname);
  // A node that listens on its own machine alone has these addresses too, and a name leads nowhere that nobody announces.
  const leads = (host: string) =>
    reachable && (host !== data?.hostname || node.status?.discovery?.state === 'announced');
  return (
    <Card title={say('thisNode')}>
      {fault && <p class="bad">{fault}</p>}
      {data?.mode === 'offline' && (
        <p class="state">
          <Badge tone="warn">{say('offlineTill')}</Badge>
        </p>
      )}
      <Facts
        rows={[
          [say('name'), <span translate={false}>{nodeName(node.status)}</span>],
          [
            say('addresses'),
            data && (
              <span class="stack" translate={false}>
                {hosts.map((host) => {
                  const url = `http://${host}${port}/`;
                  // Its last sign stands at its end in every language.
                  const shown = <bdi dir="ltr">{url}</bdi>;
                  return leads(host) ? (
                    <a key={host} href={url}>
                      {shown}
                    </a>
                  ) : (
                    <span key={host}>{shown}</span>
                  );
                })}
              </span>
            ),
          ],
        ]}
      />
      {reachable ? (
        <figure>
          <Qr text={`${location.origin}/`} label={say('qr', { url: `${location.origin}/` })} />
          <figcaption class="quiet">{say('scanIt')}</figcaption>
        </figure>
      ) : (
        <p class="quiet">{say('thisMachine')}</p>
      )}
    </Card>
  );
}
