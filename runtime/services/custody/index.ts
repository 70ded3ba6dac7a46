/** Who holds the box: what waits until somebody with the box in their hands has said so (specification 3.5). */
import { definePlugin } from '../../kernel/plugin.ts';

export default definePlugin({
  name: 'custody',
  api: 1,
  errors: [
    {
      code: 'custody_hold',
      status: 409,
      retry: 'no',
      meaning: 'the settings had to be erased: hold the button for about 5 seconds first',
    },
  ],
});
