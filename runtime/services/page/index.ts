/** GET /: the operator page, one document for everything (specification 1 and 5.12). */
import { gunzipSync } from 'node:zlib';
import { page } from 'virtual:page';
import { definePlugin, route } from '../../kernel/plugin.ts';
import { Reply } from '../../kernel/reply.ts';
import { takesGzip, takesTag } from './negotiation.ts';

/** Decoded when somebody asks first: a node that nobody looks at holds neither. */
let gzip: Buffer | undefined;
let identity: Buffer | undefined;

export default definePlugin({
  name: 'page',
  api: 2,
  requires: ['status', 'settings', 'events'],
  routes: [
    route({
      method: 'GET',
      path: '/',
      tier: 'none',
      summary: 'the operator page',
      type: 'text/html; charset=utf-8',
      handle: ({ request: { headers } }) => {
        const compressed = takesGzip(headers['accept-encoding']);
        const etag = `"${page.etag}${compressed ? '-gzip' : ''}"`;
        const about = {
          ETag: etag,
          Vary: 'Accept-Encoding',
          'Cache-Control': 'no-cache',
          'Content-Security-Policy': page.policy,
        };
        if (takesTag(headers['if-none-match'], etag)) return new Reply(304, '', about);
        gzip ??= Buffer.from(page.gzip, 'base64');
        if (compressed) return new Reply(200, gzip, { ...about, 'Content-Encoding': 'gzip' });
        identity ??= gunzipSync(gzip);
        return new Reply(200, identity, about);
      },
    }),
  ],
});
