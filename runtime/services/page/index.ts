/** The room `page`: GET /, the operator page, one document (specification 1 and 5.12). */
import { gunzipSync } from 'node:zlib';
import { page } from 'virtual:page';
import { definePlugin, route } from '../../kernel/plugin.ts';
import { Reply } from '../../kernel/reply.ts';
import { documentIn } from './document.ts';
import { languageFor, takesGzip, takesTag } from './negotiation.ts';

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
      handle: async ({ request: { headers } }) => {
        const compressed = takesGzip(headers['accept-encoding']);
        const language = languageFor(headers['accept-language'], headers.cookie, page.languages);
        const etag = `"${page.etag}-${language}${compressed ? '-gzip' : ''}"`;
        const about = {
          ETag: etag,
          Vary: 'Accept-Encoding, Accept-Language, Cookie',
          'Cache-Control': 'no-cache',
          'Content-Language': language,
          'Content-Security-Policy': page.policy,
        };
        if (takesTag(headers['if-none-match'], etag)) return new Reply(304, '', about);
        const document = await documentIn(language);
        if (compressed) return new Reply(200, document, { ...about, 'Content-Encoding': 'gzip' });
        return new Reply(200, gunzipSync(document), about);
      },
    }),
  ],
});
