/** Silicon Labs CP210x (AN571, CP210x Virtual COM Port Interface). */
import { type Adapter, PARITY, requestsTo, vendorPipes } from './adapter.ts';

/** CP2101 to CP2104, CP2105, CP2108. */
const IDS = new Set(['10c4:ea60', '10c4:ea61', '10c4:ea63', '10c4:ea70', '10c4:ea71']);

const TO_INTERFACE = 0x41;
const IFC_ENABLE = 0x00;
const SET_LINE_CTL = 0x03;
const SET_MHS = 0x07;
const SET_BAUDRATE = 0x1e;
const DTR_AND_RTS = 0x0303;

/** The adapter. */
export const cp210x: Adapter = {
  name: 'CP210x',
  pipes: (identity) => vendorPipes(IDS, identity),
  async set(device, { interfaces: [at = 0] }, { baudRate, dataBits, parity, stopBits }) {
    const send = requestsTo(device, TO_INTERFACE, at);
    const rate = new Uint8Array(4);
    new DataView(rate.buffer).setUint32(0, baudRate, true);
    await send(IFC_ENABLE, 1);
    await send(SET_BAUDRATE, 0, rate);
    await send(SET_LINE_CTL, (dataBits << 8) | (PARITY[parity] << 4) | (stopBits === 2 ? 2 : 0));
    await send(SET_MHS, DTR_AND_RTS);
  },
};
