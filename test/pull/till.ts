/** A node with a virtual printer beside a server with the semantics of Odoo's, for one test. */
import { type PrintingNode, startPrintingNode } from '../node.ts';
import { type OdooServer, odooServer } from './servers.ts';

export interface Till {
  readonly node: PrintingNode;
  readonly server: OdooServer;
  /** Arguments of the program that asks that server for that node. */
  readonly options: { readonly server: string; readonly node: string; readonly protocol: string };
  /** What the printer was sent. */
  paper(): string;
  /** How often this receipt, or another word in angle brackets, is on the paper. */
  times(id: string): number;
  stop(): Promise<void>;
}

export async function startTill(): Promise<Till> {
  const [node, server] = [await startPrintingNode(), await odooServer()];
  const paper = () => Buffer.from(node.printer.paperBytes()).toString('latin1');
  return {
    node,
    server,
    options: { server: server.url, node: node.url, protocol: 'sdp' },
    paper,
    times: (id) => paper().split(`<${id}>`).length - 1,
    stop: async () => {
      await server.close();
      await node.stop();
    },
  };
}

/** A receipt that says its id. */
export const receipt = (
  id: string,
  body = `<text>&lt;${id}&gt;&#10;</text><cut type="feed"/>`,
): { id: string; body: string } => ({ id, body });
