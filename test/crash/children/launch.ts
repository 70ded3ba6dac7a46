/** The launcher with little patience; prints what it logs after the word `launcher`. Arguments: state directory, folder of the factory image, and what its images are told (else the state directory). */
import { writeSync } from 'node:fs';
import { Launcher } from '../../../runtime/boot/launcher.ts';

const [state = '', factory = '', told = state] = process.argv.slice(2);
const launcher = new Launcher({
  ...{ state, factory, host: '127.0.0.1', port: 0, args: [told] },
  log: (line) => void writeSync(1, `launcher ${(line as { msg: string }).msg}\n`),
  patience: { crashMs: 1, longestMs: 5 },
});
process.on('SIGTERM', () => launcher.stop());
await launcher.run();
