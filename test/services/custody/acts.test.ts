/** What a gesture does, in which order, without a node: what is stored, said on paper, logged, and when it restarts. */
import { AsyncSeriesHook } from 'tapable';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../runtime/kernel/errors.ts';
import { silentLogger } from '../../../runtime/kernel/log.ts';
import type { Node } from '../../../runtime/kernel/node.ts';
import { Custody } from '../../../runtime/services/custody/custody.ts';
import type { Slips } from '../../../runtime/services/custody/slips.ts';

interface Box {
  /** Settings are erased until a person has held the button. */
  readonly erased?: true;
  /** What the storage refuses with, and what the room of the network does. */
  readonly storage?: Error;
  readonly network?: Error;
  /** Settles when the slip is out. */
  readonly paper?: Promise<void>;
  /** How long it is waited for. */
  readonly slipMs?: number;
}

function startCustody({ erased, storage, network, paper = Promise.resolve(), slipMs }: Box = {}) {
  const did: unknown[] = [];
  const stored: Record<string, unknown> = { updateKey: 'an update key', wifi: {}, ...(erased && { erased }) };
  const store = async (mutate: (draft: Record<string, unknown>) => void) => {
    if (storage !== undefined) throw storage;
    mutate(stored);
  };
  const log = (level: string) => (fields: object, message: string) => void did.push([level, message, fields]);
  const node = {
    config: {
      patch: async (patch: object, _check: undefined, mutate: (draft: Record<string, unknown>) => void) => {
        await store(mutate);
        Object.assign(stored, patch);
      },
    },
    settings: { read: (name: string) => stored[name], update: store },
    bindings: { boot: { restart: () => void did.push('restart') } },
    log: { ...silentLogger, warn: log('warn'), error: log('error') },
  };
  const slips = {
    say: async (title: string) => {
      did.push(title);
      await paper;
      did.push('on paper');
    },
  };
  const forget = new AsyncSeriesHook<[]>();
  forget.tapPromise('test', async () => {
    did.push('forget');
    if (network !== undefined) throw network;
  });
  const parts = [node as unknown as Node, slips as unknown as Slips, forget] as const;
  return { custody: new Custody(...parts, slipMs), did, stored };
}

describe('clear_keys', () => {
  const WARNED = ['warn', 'keys erased by the button; restarting', {}];

  it('erases both keys, opens the node, and restarts it when the slip is out', async () => {
    const { custody, did, stored } = startCustody();
    await custody.act('clear_keys');
    expect(did).toEqual([WARNED, 'keysErased', 'on paper', 'restart']);
    expect(stored).toEqual({ apiKey: '', apiMode: 'open', wifi: {} });
  });

  it('does not wait for ever for a slip that does not come out, and restarts without it', async () => {
    const { custody, did } = startCustody({ paper: new Promise(() => {}), slipMs: 1 });
    await custody.act('clear_keys');
    expect(did).toEqual([WARNED, 'keysErased', 'restart']);
  });

  it('that cannot be stored says so, and restarts nothing', async () => {
    const { custody, did, stored } = startCustody({ storage: new ApiError('persist_failed', 'the disk is full') });
    await custody.act('clear_keys');
    const logged = ['error', 'keys not erased', { error: 'persist_failed: the disk is full' }];
    expect(did).toEqual([logged, 'keysNotErased', 'on paper']);
    expect(stored).toEqual({ updateKey: 'an update key', wifi: {} });
  });

  it('is not begun again while it is under way, but another gesture is, and the same behind its end', async () => {
    let print = () => {};
    const paper = new Promise<void>((resolve) => {
      print = resolve;
    });
    const { custody, did } = startCustody({ paper });
    const under = custody.act('clear_keys');
    await custody.act('clear_keys');
    await custody.act('forget_network');
    const forgotten = ['warn', 'network forgotten by the button', { custodyHold: false }];
    expect(did).toEqual([WARNED, 'keysErased', 'forget', forgotten]);
    print();
    await under;
    await custody.act('clear_keys');
    expect(did.filter((each) => each === 'restart')).toHaveLength(2);
  });
});

describe('forget_network', () => {
  const warned = (custodyHold: boolean) => ['warn', 'network forgotten by the button', { custodyHold }];

  it('tells the room of the network, and prints nothing', async () => {
    const { custody, did, stored } = startCustody();
    await custody.act('forget_network');
    expect(did).toEqual(['forget', warned(false)]);
    expect(stored).toEqual({ updateKey: 'an update key', wifi: {} });
  });

  it('attests custody where settings had to be erased, and says on paper that it can be set up', async () => {
    const { custody, did, stored } = startCustody({ erased: true });
    await custody.act('forget_network');
    expect(did).toEqual(['forget', warned(true), 'readyToSetUp', 'on paper']);
    expect(stored).toEqual({ updateKey: 'an update key', wifi: {} });
  });

  it.each<[string, Box, unknown[]]>([
    [
      'stored',
      { erased: true, storage: new Error('EIO') },
      [['error', 'custody not attested', { error: 'Error: EIO' }], 'forget'],
    ],
    [
      'forgotten',
      { erased: true, network: new Error('no radio') },
      ['forget', ['error', 'network not forgotten', { error: 'Error: no radio' }]],
    ],
  ])('that cannot be %s says so, and the other half is tried', async (_, box, first) => {
    const { custody, did } = startCustody(box);
    await custody.act('forget_network');
    expect(did).toEqual([...first, 'notStored', 'on paper']);
  });
});
