/** `tillnode sample`: the last reading, on the command line. */
import type { CliCommand } from 'tillnode/plugin';

const command: CliCommand = {
  usage: '',
  summary: 'the last reading of the sample',
  async run(context) {
    const block = await context.client.sample(context);
    console.log(context.json ? JSON.stringify(block) : `${block.condition}: ${JSON.stringify(block.value)}`);
  },
};

export const commands = {
  sample: command,
};
