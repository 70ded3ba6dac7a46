/** POST /twin/scan: the scanner that is bound reads a code. */
import type { VirtualDevice } from '../../runtime/bindings/virtual/device.ts';
import { ApiError } from '../../runtime/kernel/errors.ts';
import type { Kernel } from '../../runtime/kernel/kernel.ts';
import { route } from '../../runtime/kernel/plugin.ts';
import type { ScannerBench } from '../scanner/contract.ts';
import { TwinDone, TwinScan } from './contract.ts';

function scannerOf({ bindings: { bench }, composition, hotplug }: Kernel): ScannerBench {
  const declared = [...composition.endpoints.values()].find(({ kind }) => kind === 'scanner');
  const state = declared && hotplug.state(declared.id);
  const port = state?.condition === 'bound' ? state.identity?.port : undefined;
  const scanner = port === undefined ? undefined : bench?.usb.deviceAt(port);
  if (scanner === undefined || !isScanner(scanner)) throw new ApiError('no_scanner');
  return scanner;
}

const isScanner = (device: VirtualDevice): device is VirtualDevice & ScannerBench => 'scan' in device;

export const scanRoute = route({
  method: 'POST',
  path: '/twin/scan',
  tier: 'none',
  summary: 'hold a code under the scanner',
  body: { schema: TwinScan, invalid: 'invalid_command' },
  response: TwinDone,
  errors: ['invalid_command', 'no_scanner'],
  handle: ({ kernel, body: { value, symbology } }) => {
    const scanner = scannerOf(kernel);
    try {
      scanner.scan(value, symbology);
    } catch (error) {
      if (error instanceof RangeError) throw new ApiError('invalid_command', `value: ${error.message}`);
      throw error;
    }
    return { ok: true };
  },
});
