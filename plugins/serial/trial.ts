/** Trying the protocols on a line while a person watches: what each of them hears. */
import { PROTOCOLS, SCALE_PROTOCOLS } from '../../codecs/serial-scales.ts';
import { openSerialLine } from '../../runtime/bindings/serial/line.ts';
import type { UsbDevice } from '../../runtime/bindings/usb.ts';
import type { SerialTriedAnswer } from './contract.ts';
import { Dialogue } from './dialogue.ts';

/**
 * Listens first, then asks in one protocol after the other until an answer is understood. Rejects with a UsbError where the
 * adapter cannot be opened. Takes 1 second for each protocol at most.
 */
export async function tryProtocols(device: UsbDevice, signal: AbortSignal): Promise<SerialTriedAnswer> {
  const tried: SerialTriedAnswer['tried'] = [];
  for (const name of SCALE_PROTOCOLS) {
    const protocol = PROTOCOLS[name];
    const line = await openSerialLine(device, protocol.line, protocol.last);
    if (line === undefined || signal.aborted) break;
    const dialogue = new Dialogue(line, protocol);
    const heard = await dialogue.weigh(signal);
    await dialogue.stop();
    await line.close();
    if (typeof heard === 'string' || !heard.ok) {
      tried.push({ protocol: name, heard: heard === 'nothing' ? 'nothing' : 'garbled' });
      continue;
    }
    const { weight, unit, fault } = heard.value;
    tried.push({ protocol: name, heard: 'weight', weight, unit });
    // A refusal of the question may be another protocol's.
    if (fault !== 'fault') return { ok: true, tried, protocol: name };
  }
  return { ok: true, tried };
}
