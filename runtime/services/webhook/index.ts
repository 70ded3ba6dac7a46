/** The webhook's configuration key and its rules. */
import { invalidConfig } from '../../kernel/config.ts';
import { definePlugin } from '../../kernel/plugin.ts';
import { WebhookConfig } from './contract.ts';

export interface Webhook {
  /** Used exactly as given; '' for none. */
  readonly url: string;
  readonly secret: string;
  readonly events: readonly string[];
}

/** Nothing was sent, and nothing was tried: -1 stands for "none" in both (specification 2.1). */
const NOTHING_SENT = { delivered: 0, dropped: 0, queued: 0, seq: 0, lastStatus: -1, lastAttemptAgoMs: -1 } as const;

/** Printable ASCII after the scheme: what goes on the wire as it stands. No backslash, which URL parsers read as a slash. */
const LITERAL = /^https?:\/\/(?!\/)[!-[\]-~]+$/i;

export default definePlugin({
  name: 'webhook',
  api: 1,
  config: [
    {
      key: 'webhook',
      schema: WebhookConfig,
      default: { url: '', secret: '', events: ['scan_read', 'printer_status'] } satisfies Webhook,
      secrets: ['secret'],
      /** A secret goes to the receiver it was given for, and to no other. */
      settle(value, { previous, patch }) {
        const next = value as Webhook;
        const moved = next.url !== (previous['webhook'] as Webhook).url;
        return moved && !Object.hasOwn(patch['webhook'] as object, 'secret') ? { ...next, secret: '' } : next;
      },
      check(next) {
        const fault = urlFault((next['webhook'] as Webhook).url);
        if (fault !== undefined) throw invalidConfig(`webhook/url ${fault}`);
      },
    },
  ],
  apply({ hooks }) {
    hooks.status.tap('webhook', (draft) => {
      draft['webhook'] = NOTHING_SENT;
    });
  },
});

function urlFault(url: string): string | undefined {
  if (url === '') return undefined;
  if (!LITERAL.test(url)) return 'must be http:// or https:// and printable ASCII without spaces';
  if (!URL.canParse(url)) return 'is not a URL';
  const authority = url.split(/[/?#]/, 3)[2] ?? '';
  return authority.includes('@') ? 'must not hold a user name or password' : undefined;
}
