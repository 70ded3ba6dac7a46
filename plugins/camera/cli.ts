/** `tillnode camera FILE`. */
import { writeFile } from 'node:fs/promises';
import { type CliCommand, UsageError } from '../../runtime/cli/command.ts';
import { json, writeOut } from '../../runtime/cli/terminal.ts';

const camera: CliCommand = {
  usage: 'FILE.jpg',
  summary: 'take a picture; - writes it to standard output',
  positionals: 1,
  async run(context, [file = '-']) {
    const picture = new Uint8Array(await (await context.client.cameraFrame(context)).arrayBuffer());
    if (file === '-') {
      process.stdout.write(picture);
      return;
    }
    await writeFile(file, picture).catch((error: Error) => {
      throw new UsageError(`${file}: ${error.message}`);
    });
    writeOut(context.json ? json({ file, bytes: picture.length }) : `${file}: ${picture.length} bytes`);
  },
};

export const commands = { camera };
