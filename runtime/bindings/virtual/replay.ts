/**
 * A recorded device: replays the device of a recording (recording.ts), so that a recording from the field is a test.
 * OUT data is compared with the recorded data; each recorded IN transfer is sent again once the host has sent all OUT
 * data that precedes it.
 */
import type { Parsed } from '../../../codecs/codec.ts';
import { defined } from '../../base/defined.ts';
import type { RecordLine } from '../recording.ts';
import type { UsbIdentity, UsbPipe, UsbSetup } from '../usb.ts';
import { type UpstreamPort, VirtualDevice, type VirtualPipe } from './device.ts';

/** One device of a recording: what it is, and its transfers in the order they ended. */
export interface DeviceRecording {
  readonly identity: UsbIdentity;
  readonly transfers: readonly RecordLine[];
}

/** A difference between what the host did and the recording. */
export interface Mismatch {
  /** Sequence number of the expected record; undefined if none was expected. */
  readonly seq: number | undefined;
  readonly reason: string;
}

interface Step {
  readonly record: RecordLine;
  /** Number of bytes of an OUT transfer that the host has sent. */
  sent: number;
  done: boolean;
}

const NOTHING = new Uint8Array(0);
const MAX_MISMATCHES = 64;
/** Limit of repetitions of an IN transfer that are replayed: after so many equal readings the node's state is final. */
const MAX_REPEATS = 64;

/** The device that connected on `channel` of a recording, by default the first. Fails with the reason, in English. */
export function deviceIn(lines: readonly RecordLine[], channel?: string): Parsed<DeviceRecording> {
  const connect = lines.find((line) => line.direction === 'connect' && (channel ?? line.channel) === line.channel);
  if (connect?.identity === undefined) return { ok: false, reason: 'no device connects in this recording' };
  const rest = lines.slice(lines.indexOf(connect) + 1);
  const again = rest.findIndex((line) => line.direction === 'connect' && line.channel === connect.channel);
  const transfers = (again < 0 ? rest : rest.slice(0, again)).filter(
    ({ channel: of, direction }) => of === connect.channel && (direction === 'in' || direction === 'out'),
  );
  const cut = transfers.find(({ direction, length, data }) => direction === 'in' && data.length < length);
  if (cut !== undefined) return { ok: false, reason: `record ${cut.seq}: the data of the device was truncated` };
  return { ok: true, value: { identity: connect.identity, transfers } };
}

/** A virtual device that replays a recording, from its beginning each time it is plugged in. */
export class RecordedDevice extends VirtualDevice {
  readonly #transfers: readonly RecordLine[];
  #steps: Step[] = [];
  #mismatches: Mismatch[] = [];
  /** Pipes with a difference: only the first of each pipe is reported. */
  readonly #astray = new Set<number>();
  #finish: () => void = () => {};
  /** Resolves when the host has sent all recorded OUT data and every IN transfer was sent. */
  readonly finished = new Promise<void>((resolve) => {
    this.#finish = resolve;
  });

  constructor({ identity, transfers }: DeviceRecording) {
    const { vendorId, productId, make, model, serial, class: deviceClass, selfPowered, interfaces } = identity;
    super({
      ...{ vendorId: Number.parseInt(vendorId, 16), productId: Number.parseInt(productId, 16), make, model },
      ...defined({ serial }),
      ...{ class: deviceClass, selfPowered },
      interfaces: interfaces.map((each) => ({ ...each, pipes: each.pipes.flatMap(carried) })),
    });
    this.#transfers = played(transfers);
  }

  /** Differences since the device was plugged in: the first 64. */
  get mismatches(): readonly Mismatch[] {
    return this.#mismatches;
  }

  /** Sequence numbers of the records that were not replayed yet. */
  get outstanding(): readonly number[] {
    return this.#steps.filter(({ done }) => !done).map(({ record }) => record.seq);
  }

  /** Starts the recording again from its beginning. */
  override attach(port: UpstreamPort): void {
    super.attach(port);
    this.#steps = this.#transfers.map((record) => ({ record, sent: 0, done: false }));
    this.#mismatches = [];
    this.#astray.clear();
    this.#play();
  }

  /** A request that is not in the recording is stalled. */
  protected override control(setup: UsbSetup, data: Uint8Array): Uint8Array | 'stall' {
    const same = this.#steps.filter(({ record }) => record.setup !== undefined && sameSetup(record.setup, setup));
    const step = same.find(({ done }) => !done) ?? same.at(-1);
    if (step === undefined) {
      this.#report(undefined, `request ${hex(setup.requestType)} ${hex(setup.request)} is not in the recording`);
      return 'stall';
    }
    const { record } = step;
    if (record.direction === 'out' && differsAt(record, 0, data) !== undefined)
      this.#report(record.seq, `request ${hex(setup.request)} has other data than recorded`);
    step.done = true;
    this.#play();
    if (record.fault !== undefined) return 'stall';
    return record.direction === 'in' ? record.data : NOTHING;
  }

  protected override receive(pipe: number, bytes: Uint8Array): number {
    let at = 0;
    while (at < bytes.length) {
      const step = this.#steps.find(({ record, done }) => !done && record.direction === 'out' && record.pipe === pipe);
      if (step === undefined) {
        this.#stray(pipe, undefined, `pipe ${hex(pipe)}: ${bytes.length - at} bytes more than recorded`);
        break;
      }
      const { record } = step;
      const part = bytes.subarray(at, at + record.length - step.sent);
      const differs = differsAt(record, step.sent, part);
      if (differs !== undefined)
        this.#stray(pipe, record.seq, `pipe ${hex(pipe)}: byte ${differs} is not ${hex(record.data[differs] ?? 0)}`);
      step.sent += part.length;
      step.done = step.sent >= record.length;
      at += part.length;
      this.#play();
    }
    return bytes.length;
  }

  /** Sends the recorded IN transfers up to the next OUT transfer that the host has not made yet. */
  #play(): void {
    for (const step of this.#steps) {
      const { record } = step;
      if (step.done) continue;
      if (record.direction === 'out' && record.length === 0 && record.setup === undefined) step.done = true;
      else if (record.direction === 'out') return;
      // Control requests for descriptors and status may come in any order, or not at all.
      else if (record.pipe !== undefined) {
        step.done = true;
        if (record.fault === undefined) this.send(record.pipe, record.data);
      }
    }
    this.#finish();
  }

  #stray(pipe: number, seq: number | undefined, reason: string): void {
    if (!this.#astray.has(pipe)) this.#report(seq, reason);
    this.#astray.add(pipe);
  }

  #report(seq: number | undefined, reason: string): void {
    if (this.#mismatches.length < MAX_MISMATCHES) this.#mismatches.push({ seq, reason });
  }
}

/**
 * Expands repeated IN transfers. A repeated OUT transfer is expected once, and a response that was repeated with it is
 * sent once.
 */
function played(transfers: readonly RecordLine[]): RecordLine[] {
  let asked = 1;
  return transfers.flatMap((record) => {
    const times = 1 + (record.repeats ?? 0);
    if (record.direction === 'out') asked = times;
    const said = record.direction === 'out' ? 1 : Math.max(1, Math.round(times / asked));
    return Array.from({ length: Math.min(said, 1 + MAX_REPEATS) }, () => record);
  });
}

/** The virtual bus has no isochronous pipes. */
const carried = ({ address, type, maxPacketSize }: UsbPipe): VirtualPipe[] =>
  type === 'bulk' || type === 'interrupt' ? [{ address, type, maxPacketSize }] : [];

const sameSetup = (a: UsbSetup, b: UsbSetup): boolean =>
  a.requestType === b.requestType && a.request === b.request && a.value === b.value && a.index === b.index;

/** Index of the first byte that differs from the record at `from`; undefined if none. Bytes not recorded are equal. */
function differsAt({ data }: RecordLine, from: number, bytes: Uint8Array): number | undefined {
  const differs = bytes.findIndex((byte, index) => from + index < data.length && byte !== data[from + index]);
  return differs < 0 ? undefined : from + differs;
}

const hex = (byte: number): string => byte.toString(16).padStart(2, '0');
