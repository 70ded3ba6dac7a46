/** The README's table of tested devices, from what they were tested with: recordings, and gadgets of the lab. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { placedRows, readRecipeFiles } from '../../runtime/recipes/files.ts';
import { tableOf } from '../../runtime/recipes/tested-devices.ts';
import { WEBCAM } from '../lab/guest/camera.ts';
import { TM_T20III } from '../lab/guest/epson.ts';
import { SERIAL_SCANNER } from '../lab/guest/gadget-acm.ts';
import { POS_SCANNER, SCALE, WEDGE } from '../lab/guest/hid-devices.ts';
import { codecs } from '../recipes/files.ts';

interface Tested {
  readonly vendorId: string;
  readonly productId: string;
  readonly make: string;
  readonly model: string;
  readonly with: string;
}

const ROOMS = 'test/plugins';
const LAB: readonly Omit<Tested, 'with'>[] = [TM_T20III, WEDGE, POS_SCANNER, SERIAL_SCANNER, SCALE, WEBCAM];

/** The first line of a recording says how it was made, another one who was plugged in. */
function recorded(): Tested[] {
  const files = readdirSync(ROOMS, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ndjson'));
  return files.map((path) => {
    const lines = readFileSync(join(ROOMS, path), 'utf8').trim().split('\n');
    const [mark, ...rest] = lines.map((line) => JSON.parse(line) as { text?: string; identity?: Tested });
    const identity = rest.find((record) => record.identity !== undefined)?.identity;
    if (mark?.text === undefined || identity === undefined) throw new Error(`${path} does not say what it is`);
    const virtual = mark.text.includes('virtual device');
    return { ...identity, with: virtual ? 'recording of a virtual device' : 'recording of a real device' };
  });
}

/** One row for each device, sorted by make. */
export function testedDevices(): string {
  const rows = placedRows(readRecipeFiles());
  const devices = new Map<string, Tested & { readonly means: Set<string> }>();
  for (const device of [...LAB.map((one) => ({ ...one, with: 'kernel gadget in the lab' })), ...recorded()]) {
    const id = `${device.vendorId}:${device.productId}`;
    const known = devices.get(id) ?? { ...device, means: new Set() };
    known.means.add(device.with);
    devices.set(id, known);
  }
  const tested = [...devices].map(([id, { means, ...device }]) => ({
    ...device,
    means: [...means],
    ...(id === `${TM_T20III.vendorId}:${TM_T20III.productId}` && { deviceId: TM_T20III.deviceId }),
  }));
  return tableOf(tested, rows, codecs);
}
