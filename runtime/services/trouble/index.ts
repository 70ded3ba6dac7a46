/** The room `trouble`: GET /trouble, the page "It does not print", which is a panel of the operator page. */
import { document } from 'virtual:document/page';
import { documentRoute } from '../../http/document.ts';
import { definePlugin } from '../../kernel/plugin.ts';

export default definePlugin({
  name: 'trouble',
  api: 2,
  requires: ['page', 'status', 'jobs', 'bootlog'],
  routes: [documentRoute('/trouble', 'the page "It does not print"', document)],
});
