/** The room `certify`: GET /certify, the page that takes whoever has a device through what matters. */
import { document } from 'virtual:document/certify';
import { documentRoute } from '../../http/document.ts';
import { definePlugin } from '../../kernel/plugin.ts';

export default definePlugin({
  name: 'certify',
  api: 2,
  requires: ['page', 'status', 'settings', 'events', 'capture', 'jobs'],
  routes: [documentRoute('/certify', 'the page that certifies a device', document)],
});
