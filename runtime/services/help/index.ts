/** The room `help`: GET /help, the page of what shops ask. */
import { document } from 'virtual:document/help';
import { documentRoute } from '../../http/document.ts';
import { definePlugin } from '../../kernel/plugin.ts';

export default definePlugin({
  name: 'help',
  api: 2,
  requires: ['page'],
  routes: [documentRoute('/help', 'the page of what shops ask', document)],
});
