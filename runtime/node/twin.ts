/** `tillnode/testing`: starts the twin in this process, for the tests of a program that uses a node. */
import { atHand, beside, devices, image, plugins, recipes, validators } from 'virtual:variant';
import { createTurns } from '../base/turns.ts';
import type { BootReason } from '../bindings/boot.ts';
import { VirtualBoot } from '../bindings/virtual/boot.ts';
import { VirtualStorage } from '../bindings/virtual/storage.ts';
import { NodeClient } from '../client/client.ts';
import { startVirtualNode, type VirtualNode } from './virtual.ts';

/** A running twin. */
export interface Twin {
  /** Base URL of the API. */
  readonly url: string;
  /** HOST:PORT of the raw ESC/POS port. */
  readonly raw: string;
  /**
   * A client of it. `client.twin` moves the virtual devices: opens the printer's cover, scans a code, puts on a weight.
   */
  readonly client: NodeClient;
  /** What was printed, as text. */
  paper(): Promise<string>;
  /** What was printed, as SVG. */
  paperSvg(): Promise<string>;
  /** Stops it and frees its ports. */
  stop(): Promise<void>;
}

const portOf = (address: string): number => Number(address.split(':').at(-1));

/** Starts a twin on free ports of the loopback interface, with state in memory only. */
export async function startTwin(): Promise<Twin> {
  const storage = new VirtualStorage();
  const start = (port: number, rawPort: number, reason: BootReason = 'power_on'): Promise<VirtualNode> =>
    startVirtualNode({
      ...{ image, beside, plugins, recipes, validators, devices, atHand, storage },
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
