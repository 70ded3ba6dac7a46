/** Writes what stands beside the fleet's program into the folder that is named: `node fleet-beside.mjs DIRECTORY`. */
import { writeBeside } from './beside.ts';

await writeBeside(process.argv[2] ?? '.');
