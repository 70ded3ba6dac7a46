/**
 * A node whose printer takes bytes as a pipe does: p910nd writes to a pipe that nobody interprets, so what is measured
 * on our side is the node too (socket, filter, writer, bus), not the virtual printer's reading of the receipt.
 */
import { VirtualDevice } from '../../runtime/bindings/virtual/device.ts';
import { startTestNode } from '../../runtime/node/testing.ts';
import { wifiPlugins } from '../plugins.ts';

class PipePrinter extends VirtualDevice {
  constructor() {
    const pipes = [{ address: 0x01, type: 'bulk', maxPacketSize: 64 } as const];
    super({ vendorId: 0x04b8, productId: 0x0e28, interfaces: [{ class: 7, subclass: 1, protocol: 1, pipes }] });
  }

  protected control(): 'stall' {
    return 'stall';
  }

  protected receive(_pipe: number, bytes: Uint8Array): number {
    return bytes.length;
  }
}

const node = await startTestNode({
  plugins: wifiPlugins,
  recipes: [],
  devices: { printer: () => new PipePrinter() },
  image: { roomsAreOwn: true },
});
process.stdout.write(`raw ${node.raw?.split(':').at(-1)}\n`);
process.on('SIGTERM', () => process.exit(0));
