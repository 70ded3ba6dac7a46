/** URLs of the node's page. */
import type { Node } from '../../kernel/node.ts';

const HTTP_PORT = 80;

/** The port of the HTTP front: the one that it listens on, which `--port 0` does not say. */
const portOf = ({ listening, run }: Pick<Node, 'listening' | 'run'>): number =>
  Number(listening.get('http')?.split(':').at(-1) ?? run.port);

/** The URL of the page under this address or host name. */
export function pageUrl(node: Pick<Node, 'listening' | 'run'>, host: string): string {
  const port = portOf(node);
  return `http://${host}${port === HTTP_PORT ? '' : `:${port}`}/`;
}
