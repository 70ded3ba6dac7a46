/** A command addresses one endpoint and ends in one result, which is also sent as an event (specification 2.4). */
import { defined } from '../base/defined.ts';

/**
 * To be called, and what it returns awaited, when the turn of a command has come, right before its first byte leaves. Fails with an
 * ApiError where its client may not send it any more, or where its key cannot be stored.
 */
export type Begin = () => Promise<void> | undefined;

/** The fields that every command has; each type adds its own. */
export interface Command {
  readonly type: string;
  readonly id: string;
  readonly endpoint: string;
  /** Address of the client that sent it; undefined for a command of the node itself. */
  readonly from?: string | undefined;
  readonly begin?: Begin | undefined;
  /** The key of idempotency of its request. */
  readonly key?: string | undefined;
  /** Whether its turn has come: bytes may have left for the device, so that without a result it is in doubt. */
  hasBegun?: boolean;
  /** When it had come, in ms of `performance.now()`, where the command waited for it. */
  begunAt?: number;
}

/**
 * How a command ended: `outcome` where `ok`, else `error` (a code of the error table). Also the event `command_result`. In
 * GET /jobs it is the `outcome`; with `error` `failed` (nothing came out) where there are no `bytes`, or `partial` (so much came
 * out, and no more). `write_failed` is the code for a room that does not know: with bytes, or without any that it can
 * name, the job is `uncertain` until somebody says what came out; with 0 bytes it `failed`.
 */
export interface CommandResult {
  readonly type: 'command_result';
  readonly ok: boolean;
  readonly commandId: string;
  readonly endpoint: string;
  readonly error?: string;
  readonly detail?: string;
  readonly outcome?: 'accepted' | 'confirmed' | 'unconfirmed';
  /** Bytes handed to the device. */
  readonly bytes?: number;
}

/** The result of a command that succeeded; `bytes` is the number of bytes handed to the device. */
export const succeeded = (
  command: Command,
  outcome: NonNullable<CommandResult['outcome']>,
  bytes: number,
  detail?: string,
): CommandResult => ({
  type: 'command_result',
  ok: true,
  commandId: command.id,
  endpoint: command.endpoint,
  outcome,
  bytes,
  ...defined({ detail }),
});

/** The result of a command that failed with a code of the error table; `bytes` where part of it reached the device. */
export const failed = (command: Command, error: string, detail?: string, bytes?: number): CommandResult => ({
  type: 'command_result',
  ok: false,
  commandId: command.id,
  endpoint: command.endpoint,
  error,
  ...defined({ detail, bytes }),
});
