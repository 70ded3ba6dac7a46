/**
 * A recorded device: answers as the device did that a recording (recording.ts) was made of, so that a recording from
 * the field is a test. What the host sends is compared with what it sent then; what the device said is said again once
 * everything sent before it has been sent again.
 */
import type { Parsed } from '../../../codecs/codec.ts';
import type { UsbIdentity, UsbPipe, UsbSetup } from '../bindings.ts';
import type { RecordLine } from '../recording.ts';
import { type UpstreamPort, VirtualDevice, type VirtualPipe } from './device.ts';

/** One device of a recording: what it is, and its transfers in the order they ended. */
export interface DeviceRecording {
  readonly identity: UsbIdentity;
  readonly transfers: readonly RecordLine[];
}

/** Where the host did otherwise than in the recording. */
export interface Mismatch {
  /** Number of the record that was due; undefined where nothing was. */
  readonly seq: number | undefined;
  readonly reason: string;
}

interface Step {
  readonly record: RecordLine;
  /** Bytes of an OUT transfer that were sent again. */
  sent: number;
  done: boolean;
}

const NOTHING = new Uint8Array(0);
const MAX_MISMATCHES = 64;
/** A reading that was repeated longer is said so often again: by then whoever listens has made up its mind. */
const MAX_REPEATS = 64;

/** The device that connected to `channel` of a recording, by default the first. */
export function deviceIn(lines: readonly RecordLine[], channel?: string): Parsed<DeviceRecording> {
  const connect = lines.find((line) => line.direction === 'connect' && (channel ?? line.channel) === line.channel);
  if (connect?.identity === undefined) return { ok: false, reason: 'no device connects in it' };
  const rest = lines.slice(lines.indexOf(connect) + 1);
  const again = rest.findIndex((line) => line.direction === 'connect' && line.channel === connect.channel);
  const transfers = (again < 0 ? rest : rest.slice(0, again)).filter(
    ({ channel: of, direction }) => of === connect.channel && (direction === 'in' || direction === 'out'),
  );
  const cut = transfers.find(({ direction, length, data }) => direction === 'in' && data.length < length);
  if (cut !== undefined) return { ok: false, reason: `record ${cut.seq}: what the device said is not there in full` };
  return { ok: true, value: { identity: connect.identity, transfers } };
}

export class RecordedDevice extends VirtualDevice {
  readonly #transfers: readonly RecordLine[];
  #steps: Step[] = [];
  #mismatches: Mismatch[] = [];
  /** Pipes whose bytes differed once; what follows says nothing new. */
  readonly #astray = new Set<number>();
  #finish: () => void = () => {};
  /** Resolves once all that the host sent was sent again and all that the device said was said. */
  readonly finished = new Promise<void>((resolve) => {
    this.#finish = resolve;
  });

  constructor({ identity, transfers }: DeviceRecording) {
    const { vendorId, productId, make, model, serial, class: deviceClass, selfPowered, interfaces } = identity;
    super({
      ...{ vendorId: Number.parseInt(vendorId, 16), productId: Number.parseInt(productId, 16), make, model },
      ...(serial !== undefined && { serial }),
      ...{ class: deviceClass, selfPowered },
      interfaces: interfaces.map((each) => ({ ...each, pipes: each.pipes.flatMap(carried) })),
    });
    this.#transfers = played(transfers);
  }

  /** What the host did otherwise since the device was plugged in: the first 64. */
  get mismatches(): readonly Mismatch[] {
    return this.#mismatches;
  }

  /** Numbers of the records whose turn has not come. */
  get outstanding(): readonly number[] {
    return this.#steps.filter(({ done }) => !done).map(({ record }) => record.seq);
  }

  /** The recording begins anew with each plugging in. */
  override attach(port: UpstreamPort): void {
    super.attach(port);
    this.#steps = this.#transfers.map((record) => ({ record, sent: 0, done: false }));
    this.#mismatches = [];
    this.#astray.clear();
    this.#play();
  }

  /** A request that was not made in the recording is one that the device does not know. */
  protected override control(setup: UsbSetup, data: Uint8Array): Uint8Array | 'stall' {
    const same = this.#steps.filter(({ record }) => record.setup !== undefined && sameSetup(record.setup, setup));
    const step = same.find(({ done }) => !done) ?? same.at(-1);
    if (step === undefined) {
      this.#report(undefined, `request ${hex(setup.requestType)} ${hex(setup.request)} was not made`);
      return 'stall';
    }
    const { record } = step;
    if (record.direction === 'out' && differsAt(record, 0, data) !== undefined)
      this.#report(record.seq, `request ${hex(setup.request)} carried other data`);
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
        this.#stray(pipe, undefined, `pipe ${hex(pipe)}: ${bytes.length - at} bytes more than were sent`);
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

  /** Says what is due: everything up to the next transfer that the host has yet to make. */
  #play(): void {
    for (const step of this.#steps) {
      const { record } = step;
      if (step.done) continue;
      if (record.direction === 'out' && record.length === 0 && record.setup === undefined) step.done = true;
      else if (record.direction === 'out') return;
      // A host may ask for descriptors and status in any order, or not at all.
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

/** Each as often as it is said again. A question that was repeated is due once, and so is what was answered each time. */
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

/** Where `bytes` first differ from the record's from `from` on; bytes that the recording did not keep differ never. */
function differsAt({ data }: RecordLine, from: number, bytes: Uint8Array): number | undefined {
  const differs = bytes.findIndex((byte, index) => from + index < data.length && byte !== data[from + index]);
  return differs < 0 ? undefined : from + differs;
}

const hex = (byte: number): string => byte.toString(16).padStart(2, '0');
