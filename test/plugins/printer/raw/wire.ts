/** A connection to port 9100 without a node and a network: a socket that a test sends on, and the outlet of a cable behind it. */
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { onTestFinished, vi } from 'vitest';
import { type Client, Job } from '../../../../plugins/printer/jobs/job.ts';
import type { Printer } from '../../../../plugins/printer/jobs/printer.ts';
import { RawConnection } from '../../../../plugins/printer/raw/connection.ts';
import type { Node } from '../../../../runtime/kernel/node.ts';
import type { JobEnd } from '../../../../runtime/services/jobs/contract.ts';
import { settled, startCable } from '../jobs/cable.ts';

const FILTER = { realtimePulseDisable: false, pulseOnBel: false };

/** The client's address, unless a test says another one. */
export const ME = '192.0.2.7';
/** DLE EOT n. */
export const ASK = (n: number): Uint8Array => Uint8Array.of(0x10, 0x04, n);
export const hex = (bytes: string | Uint8Array): string => Buffer.from(bytes as Uint8Array).toString('hex');

/** The end of the node; what the node does with it is kept in `did`. */
class Wire extends EventEmitter {
  readonly remoteAddress: string;
  readonly did: string[] = [];
  readonly received: number[] = [];
  destroyed = false;
  writableEnded = false;
  readonly writableLength = 0;
  /** Whether it is not read. */
  paused = false;
  readableEnded = false;
  /** Called by each `resume`. */
  onResume = () => {};

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  get writable(): boolean {
    return !this.destroyed && !this.writableEnded;
  }

  isPaused(): boolean {
    return this.paused;
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    this.onResume();
  }

  write(bytes: Uint8Array): void {
    this.received.push(...bytes);
  }

  end(): void {
    this.writableEnded = true;
    this.#do('end');
  }

  destroy(): void {
    this.#close('destroyed');
  }

  resetAndDestroy(): void {
    this.#close('reset');
  }

  /** The client goes in the middle. */
  goes(): void {
    this.#close();
  }

  #close(how?: string): void {
    if (this.destroyed) return;
    this.destroyed = true;
    if (how !== undefined) this.#do(how);
    this.emit('close');
  }

  #do(what: string): void {
    this.did.push(what);
  }
}

/** An outlet at which connections print one after the other. Time stands until `pass`; the event loop runs. */
export async function startOutlet(told: { readonly idleTimeoutSeconds?: number; readonly protect?: string } = {}) {
  const cable = await startCable();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const counters = { connections: 0, bytes: 0, pulsesDropped: 0, realtimeDropped: 0, settingsDropped: 0, refused: 0 };
  const listed: unknown[] = [];
  const warned: unknown[] = [];
  const recorded: number[] = [];
  const offer = {
    begin: ({ from }: { readonly from: string }) => {
      listed.push(from);
      return { end: (end: JobEnd) => void listed.push({ from, ...end }) };
    },
    count: () => {},
  };
  const node = {
    config: { get: () => ({ protect: 'pulse', idleTimeoutSeconds: 60, ...told }) },
    log: { warn: (fields: object, message: string) => void warned.push([fields, message]) },
    hooks: { transfer: { call: ({ data }: { data: Uint8Array }) => void recorded.push(...data) } },
    offered: () => offer,
    recording: false,
  };
  const { outlet } = cable;
  let read: Promise<void> = Promise.resolve();
  const printer = {
    get heldBy() {
      return outlet.heldBy;
    },
    filteredJob: (client: Client, from: string, protectSettings: boolean) =>
      new Job(outlet, 'port9100', from, { options: { ...FILTER, protectSettings }, client }),
    readForClient: () => read,
    statusReply: (n: number) => 0x10 + n,
    refreshed: 0,
    refresh: async () => {
      printer.refreshed += 1;
      return true;
    },
  };
  return {
    cable,
    ...{ printer, counters, listed, warned, recorded, node },
    /** The printer does not say how it is, until what is returned is called. */
    holdReading: () => {
      let done = () => {};
      read = new Promise((resolve) => {
        done = resolve;
      });
      return () => done();
    },
    dial: (from = ME) => {
      const wire = new Wire(from);
      const parts = [wire as unknown as Socket, printer as unknown as Printer, node as unknown as Node] as const;
      const connection = new RawConnection(...parts, 'receipt', counters);
      /** What it sends; the node reads it, and whatever follows without time has happened. */
      const send = async (bytes: string | Uint8Array) => {
        wire.emit('data', Buffer.from(bytes as Uint8Array));
        await settled();
      };
      const end = async () => {
        wire.emit('end');
        await settled();
      };
      const go = async () => {
        wire.goes();
        await settled();
      };
      return { wire, connection, send, end, go };
    },
    /** Lets this much time pass. */
    pass: async (ms: number) => {
      vi.advanceTimersByTime(ms);
      await settled();
    },
  };
}
