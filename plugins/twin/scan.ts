/** POST /twin/scan: the bound virtual scanner reads a bar code. */
import type { Symbology } from '../../codecs/symbology.ts';
import type { VirtualDevice } from '../../runtime/bindings/virtual/device.ts';
import { ApiError } from '../../runtime/kernel/errors.ts';
import type { Node } from '../../runtime/kernel/node.ts';
import { routesOf } from '../../runtime/kernel/plugin.ts';
import { TwinDone, type TwinRoom, TwinScan } from './contract.ts';

/** Time for a code to be read, in milliseconds: longer than any pause of a scanner. */
const READ_MS = 5000;
/** Why a read has no record in GET /scans. */
const UNRECORDED: Readonly<Record<string, string>> = {
  symbology: 'its symbology is not in scanner.symbologies',
  unreadable: 'it is over 4,096 characters, or arrived damaged',
};

/**
 * `scan` sends a value, with an AIM identifier where a symbology is given, or returns why it sends nothing. Throws
 * RangeError where no scanner of this kind can send it.
 */
interface ScannerBench {
  scan(value: string, symbology?: Symbology): string | undefined;
}

const route = routesOf<TwinRoom>();

function scannerOf(node: Node): ScannerBench {
  const { bench } = node.bindings;
  const state = node.endpoints('scanner').find(({ condition }) => condition === 'bound');
  const port = state?.identity?.port;
  const scanner = port === undefined ? undefined : bench?.usb.deviceAt(port);
  if (isScanner(scanner)) return scanner;
  const refused = [...node.ledger.devices].find(
    ({ identity, connected }) => connected && isScanner(bench?.usb.deviceAt(identity.port)),
  );
  if (refused === undefined) throw new ApiError('no_scanner', 'none is plugged in');
  const { identity, state: condition, reason = condition, detail } = refused;
  const why = detail === undefined ? reason : `${reason}, ${detail}`;
  throw new ApiError('no_scanner', `${identity.vendorId}:${identity.productId} is not bound: ${why}`);
}

const isScanner = (device: VirtualDevice | undefined): device is VirtualDevice & ScannerBench =>
  device !== undefined && 'scan' in device;

/** Holds a code under the scanner. Resolves when it was read; rejects with `no_scanner` and the reason if it was not. */
async function read(node: Node, { value, symbology }: { value: string; symbology?: Symbology }): Promise<void> {
  const scanner = scannerOf(node);
  const outcome = nextOutcome(node);
  try {
    const silent = scanner.scan(value, symbology);
    if (silent !== undefined) throw new ApiError('no_scanner', silent);
    const became = await outcome.heard;
    if (became === undefined) throw new ApiError('no_scanner', `nothing was read within ${READ_MS / 1000} s`);
    const unrecorded = UNRECORDED[became];
    if (unrecorded !== undefined) throw new ApiError('no_scanner', `the code was rejected: ${unrecorded}`);
  } catch (error) {
    if (error instanceof RangeError) throw new ApiError('invalid_command', `value: ${error.message}`);
    throw error;
  } finally {
    outcome.stop();
  }
}

/** What becomes of the next read; undefined where there is none in time, or nobody listens any more. */
function nextOutcome(node: Node) {
  let stop = () => {};
  const heard = new Promise<string | undefined>((resolve) => {
    const deaf = node.offered('scanner')?.next(resolve);
    const late = setTimeout(() => resolve(undefined), READ_MS);
    stop = () => {
      deaf?.();
      clearTimeout(late);
      resolve(undefined);
    };
  });
  return { heard, stop: () => stop() };
}

/** Body: the value and a symbology. Answers when the code was read, so that GET /scans has it. */
export const scanRoute = route({
  method: 'POST',
  path: '/twin/scan',
  tier: 'none',
  summary: 'hold a code under the scanner',
  body: { schema: TwinScan, invalid: 'invalid_command' },
  response: TwinDone,
  errors: ['invalid_command', 'no_scanner'],
  handle: async ({ node, room, body }) => {
    await room.scansInTurn(() => read(node, body));
    return { ok: true };
  },
});

declare module '../../runtime/kernel/registry.ts' {
  interface Offers {
    scanner: Reads;
  }
}

/** As the scanner room offers it: the compiler compares the two. */
interface Reads {
  next(heard: (outcome: string) => void): () => void;
}
