/** What the command line can ask of a fleet: one line for each route. */

/** One command: its words, and the route that it asks. */
export interface FleetCommand {
  /** `rollout stop ID`: words in capitals are arguments, in the order of the path's parameters. */
  readonly usage: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** As the routes declare it. */
  readonly path: string;
  readonly summary: string;
  /**
   * What it takes behind its words: `pairs` of KEY=VALUE (with GET the query, else the body), a `file` as the body, or a file as
   * the `text` of a body with pairs beside it.
   */
  readonly takes?: 'pairs' | 'file' | 'text';
}

const get = (usage: string, path: string, summary: string, takes?: 'pairs'): FleetCommand => ({
  ...{ usage, method: 'GET', path, summary },
  ...(takes && { takes }),
});
const act = (
  method: 'POST' | 'PUT' | 'DELETE',
  usage: string,
  path: string,
  summary: string,
  takes?: FleetCommand['takes'],
): FleetCommand => ({ usage, method, path, summary, ...(takes && { takes }) });

export const COMMANDS: readonly FleetCommand[] = [
  get('summary', '/api/summary', 'how many nodes are in each state and of each version; filter=', 'pairs'),
  get('nodes', '/api/nodes', 'the nodes that fit, by id; filter= limit= after= offset=', 'pairs'),
  get('node ID', '/api/nodes/:id', 'all that is known of a node'),
  get('node hours ID', '/api/nodes/:id/hours', 'its heartbeats and receipts by hours'),
  get('node days ID', '/api/nodes/:id/days', 'its last 30 days'),
  act('PUT', 'node set ID', '/api/nodes/:id', 'name= site= tags= notes= mutedUntil=', 'pairs'),
  act('POST', 'node replace ID', '/api/nodes/:id/replace', 'by=: a new box takes over', 'pairs'),
  act('POST', 'node token ID', '/api/nodes/:id/token', 'another token for it; the one before no longer counts'),
  act('DELETE', 'node delete ID', '/api/nodes/:id', 'forget it, with all that is stored of it'),
  get('sites', '/api/sites', 'the sites; filter= search= limit= after=', 'pairs'),
  get('site SITE', '/api/sites/:site', 'one site'),
  get('site export SITE', '/api/sites/:site/export', 'everything of a site and its nodes, a line of JSON each'),
  act('PUT', 'site set SITE', '/api/sites/:site', 'zone= hours= notes= name=; made where it is not there', 'pairs'),
  act('DELETE', 'site delete SITE', '/api/sites/:site', 'delete a site that no node has'),
  get('alerts', '/api/alerts', 'alerts; open= acknowledged= rule= subject= filter= limit= before= offset=', 'pairs'),
  act('POST', 'alert take ID', '/api/alerts/:id/acknowledge', 'look after an alert'),
  get('history', '/api/history', 'messages, refusals and alerts of the fleet by hours; hours=', 'pairs'),
  get('oddities', '/api/oddities', 'what is wrong with requests'),
  get('recipes', '/api/recipes', 'the recipe table'),
  act('PUT', 'recipes set FILE', '/api/recipes', 'a maker file for all nodes; note= base=', 'text'),
  act('POST', 'recipes check FILE', '/api/recipes/check', 'what is wrong with a maker file', 'text'),
  get('recipes versions', '/api/recipes/versions', 'its versions'),
  get('recipes version N', '/api/recipes/versions/:version', 'one of them'),
  act('POST', 'recipes restore N', '/api/recipes/versions/:version/restore', 'make it the newest'),
  get('releases', '/api/releases', 'the images that were uploaded'),
  act('POST', 'release upload FILE', '/api/releases', 'upload an image; a rollout offers it', 'file'),
  get('rollouts', '/api/rollouts', 'the last 100 rollouts'),
  get('rollout ID', '/api/rollouts/:id', 'one rollout'),
  get('rollout nodes ID', '/api/rollouts/:id/nodes', 'its nodes; state= asked=never limit= after=', 'pairs'),
  act('POST', 'rollout start', '/api/rollouts', 'variant= version= groups= bySite= window= errorPercent= …', 'pairs'),
  act('POST', 'rollout stop ID', '/api/rollouts/:id/stop', 'offer its image to nobody any more'),
  act('POST', 'rollout resume ID', '/api/rollouts/:id/resume', 'go on; what failed so far no longer counts'),
  act(
    'POST',
    'rollout skip ID',
    '/api/rollouts/:id/skip',
    'begin the next group once a node is healthy; node=: take one node out',
    'pairs',
  ),
  act('POST', 'rollout retry ID', '/api/rollouts/:id/retry', 'offer it again to those that failed; node=', 'pairs'),
  get('settings', '/api/settings', 'rules, channels, and what is kept'),
  act('PUT', 'settings set', '/api/settings', 'keepDays=14 rules.offline.afterSeconds=300 …', 'pairs'),
  get('audit', '/api/audit', 'who did what; limit= before=', 'pairs'),
  get('people', '/api/people', 'local accounts'),
  act('PUT', 'person set NAME', '/api/people/:name', 'role= password=; another role or password', 'pairs'),
  act('DELETE', 'person delete NAME', '/api/people/:name', 'remove somebody, whose sessions end at once'),
  get('tokens', '/api/tokens', 'tokens for programs'),
  act('POST', 'token make', '/api/tokens', 'name= scope=read|metrics|ingest|release days=', 'pairs'),
  act('DELETE', 'token delete ID', '/api/tokens/:id', 'take a token back'),
  get('metrics', '/metrics', 'numbers for Prometheus; filter=', 'pairs'),
];

const isArgument = (part: string): boolean => /^[A-Z]+$/.test(part);
const rankOf = ({ usage }: FleetCommand): number => {
  const parts = usage.split(' ');
  return 10 * parts.length + parts.filter((part) => !isArgument(part)).length;
};
/** Commands from the longest: of `rollout ID`, `rollout start` and `rollout stop ID` the last that fits is meant. */
const FROM_LONGEST = COMMANDS.toSorted((a, b) => rankOf(b) - rankOf(a));

/** The command of these words, with its arguments and what is behind them; undefined where there is none. */
export function commandOf(
  words: readonly string[],
):
  | { readonly command: FleetCommand; readonly parameters: readonly string[]; readonly rest: readonly string[] }
  | undefined {
  for (const command of FROM_LONGEST) {
    const parts = command.usage.split(' ');
    const fits = parts.every((part, at) =>
      isArgument(part) ? words[at] !== undefined && !/^\w+=/.test(words[at]) : words[at] === part,
    );
    if (!fits) continue;
    const parameters = words.slice(0, parts.length).filter((_, at) => isArgument(parts[at] ?? ''));
    return { command, parameters, rest: words.slice(parts.length) };
  }
  return undefined;
}
