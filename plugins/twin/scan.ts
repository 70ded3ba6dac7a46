/** POST /twin/scan: the bound virtual scanner reads a bar code. */
import type { Symbology } from '../../codecs/symbology.ts';
import type { VirtualDevice } from '../../runtime/bindings/virtual/device.ts';
import { ApiError } from '../../runtime/kernel/errors.ts';
import type { Node } from '../../runtime/kernel/node.ts';
import { route } from '../../runtime/kernel/plugin.ts';
import { TwinDone, TwinScan } from './contract.ts';

/** `scan` sends a value, with an AIM identifier where a symbology is given. Throws RangeError where it cannot send it. */
interface ScannerBench {
  scan(value: string, symbology?: Symbology): void;
}

function scannerOf(node: Node): ScannerBench {
  const { bench } = node.bindings;
  const state = node.endpoints().find(({ declaration }) => declaration.kind === 'scanner');
  const port = state?.condition === 'bound' ? state.identity?.port : undefined;
  const scanner = port === undefined ? undefined : bench?.usb.deviceAt(port);
  if (scanner === undefined || !isScanner(scanner)) throw new ApiError('no_scanner');
  return scanner;
}

const isScanner = (device: VirtualDevice): device is VirtualDevice & ScannerBench => 'scan' in device;

/** Body: the value and a symbology; `no_scanner` without a scanner. */
export const scanRoute = route({
  method: 'POST',
  path: '/twin/scan',
  tier: 'none',
  summary: 'hold a code under the scanner',
  body: { schema: TwinScan, invalid: 'invalid_command' },
  response: TwinDone,
  errors: ['invalid_command', 'no_scanner'],
  handle: ({ node, body: { value, symbology } }) => {
    const scanner = scannerOf(node);
    try {
      scanner.scan(value, symbology);
    } catch (error) {
      if (error instanceof RangeError) throw new ApiError('invalid_command', `value: ${error.message}`);
      throw error;
    }
    return { ok: true };
  },
});
