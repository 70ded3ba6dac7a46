/** Commands address an endpoint; each ends in one result, which is also an event (specification 2.4). */

export interface Command {
  readonly type: string;
  readonly id: string;
  readonly endpoint: string;
}

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
  ...(detail === undefined ? {} : { detail }),
});

export const failed = (command: Command, error: string, detail?: string, bytes?: number): CommandResult => ({
  type: 'command_result',
  ok: false,
  commandId: command.id,
  endpoint: command.endpoint,
  error,
  ...(detail === undefined ? {} : { detail }),
  ...(bytes === undefined ? {} : { bytes }),
});
