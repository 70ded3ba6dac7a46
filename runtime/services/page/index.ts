/** The room `page`: GET /, the operator page, one document (specification 1 and 5.12). */
import { document } from 'virtual:document/page';
import { documentRoute } from '../../http/document.ts';
import { definePlugin } from '../../kernel/plugin.ts';

export default definePlugin({
  name: 'page',
  api: 2,
  requires: ['status', 'settings', 'events'],
  routes: [documentRoute('/', 'the operator page', document)],
});
