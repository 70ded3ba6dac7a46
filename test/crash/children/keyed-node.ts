/**
 * A node whose printer outlives it: what the printer takes is added to the file `paper` at once. Prints `ready <url>`.
 * Arguments: directory of `paper`, directory of the state, port (0: any).
 * SIGUSR1 pulls the printer's plug (`pulled`), or plugs it in again (`plugged`). SIGUSR2 fills the file system of the state (`full`), or frees it again (`free`).
 */
import { closeSync, existsSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import printer from '../../../plugins/printer/index.ts';
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import { createStorage } from '../../../runtime/bindings/native/storage.ts';
import { startTestNode } from '../../../runtime/node/testing.ts';
import jobs from '../../../runtime/services/jobs/index.ts';
import settings from '../../../runtime/services/settings/index.ts';
import status from '../../../runtime/services/status/index.ts';

const [directory = '', state = '', port = '0'] = process.argv.slice(2);
const say = (line: string) => writeSync(1, `${line}\n`);
const paper = openSync(join(directory, 'paper'), 'a');
/** A receipt takes 6 to 60 ms, in slices of ten, so that a kill meets one that is half on the paper. */
const BYTES_PER_SECOND = 100_000;

class LastingPrinter extends VirtualPrinter {
  protected override receive(pipe: number, bytes: Uint8Array): number {
    const taken = super.receive(pipe, bytes);
    if (taken > 0) writeSync(paper, bytes, 0, taken);
    return taken;
  }
}

function fillOrFree(): void {
  const ballast = join(state, 'ballast');
  if (existsSync(ballast)) {
    rmSync(ballast);
    say('free');
    return;
  }
  const file = openSync(ballast, 'w');
  const chunk = Buffer.alloc(1024);
  try {
    for (;;) writeSync(file, chunk);
  } catch {
    closeSync(file);
    say('full');
  }
}

const device = new LastingPrinter();
device.set({ slow: BYTES_PER_SECOND });
const storage = await createStorage(state);
const node = await startTestNode({
  plugins: [settings, status, jobs, printer],
  run: { port: Number(port) },
  bindings: () => ({ storage }),
  devices: { printer: () => device },
});
let plugged = true;
process.on('SIGUSR1', () => {
  plugged = !plugged;
  if (plugged) node.bench.usb.plug(device);
  else node.bench.usb.unplug(device);
  say(plugged ? 'plugged' : 'pulled');
});
process.on('SIGUSR2', fillOrFree);
say(`ready ${node.url}`);
