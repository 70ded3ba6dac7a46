/** `tillnode/testing`: the whole twin in this process, for the tests of a program that talks to a node. */
import { atHand, devices, image, plugins, recipes, validators } from 'virtual:variant';
import type { BootReason } from '../bindings/bindings.ts';
import { VirtualBoot } from '../bindings/virtual/boot.ts';
import { VirtualStorage } from '../bindings/virtual/storage.ts';
import { NodeClient } from '../client/client.ts';
import { createTurns } from '../kernel/turns.ts';
import { startVirtualNode, type VirtualNode } from './virtual.ts';

export interface Twin {
  /** Base URL of the API. */
  readonly url: string;
  /** HOST:PORT of raw ESC/POS. */
  readonly raw: string;
  /** Its `twin` works the bench: cover and paper of the printer, codes under the scanner, weights on the scale. */
  readonly client: NodeClient;
  /** What came out of the printer, as text. */
  paper(): Promise<string>;
  /** What came out of the printer, as a picture. */
  paperSvg(): Promise<string>;
  stop(): Promise<void>;
}

const portOf = (address: string): number => Number(address.split(':').at(-1));

/** A twin of its own on any free ports of loopback; nothing of it stays when it was stopped. */
export async function startTwin(): Promise<Twin> {
  const storage = new VirtualStorage();
  const start = (port: number, rawPort: number, reason: BootReason = 'power_on'): Promise<VirtualNode> =>
    startVirtualNode({
      ...{ image, plugins, recipes, validators, devices, atHand, storage },
      boot: Object.assign(new VirtualBoot({ slot: 'factory', reason, launched: false }), { restart }),
      run: { port, ports: { raw: rawPort } },
      bindings: ({ radio }) => ({ radio }),
    });
  let node = await start(0, 0);
  const { url, raw = '' } = node;
  const client = new NodeClient({ url });
  let ended = false;
  const inTurn = createTurns();
  function restart(): void {
    void inTurn(async () => {
      if (ended) return;
      await node.stop();
      node = await start(portOf(url), portOf(raw), 'restart');
    });
  }
  return {
    ...{ url, raw, client },
    paper: () => client.twin.paper(),
    paperSvg: () => client.twin.paperSvg(),
    async stop() {
      ended = true;
      await inTurn(() => node.stop());
    },
  };
}
