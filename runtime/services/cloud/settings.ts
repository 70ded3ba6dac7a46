/** The stored cloud settings: URLs, token and interval (specification 2.12). */
import type { Outgoing } from '../../http/outbound.ts';
import { urlFault } from '../../http/urls.ts';
import { invalidConfig } from '../../kernel/config.ts';
import type { Settings } from '../../kernel/settings.ts';
import type { CloudPatch, CloudSettings } from './contract.ts';

const NOTHING: CloudSettings = { url: '', heartbeatUrl: '', token: '', heartbeatSeconds: 60 };

/** The stored settings, with defaults. */
export const cloudOf = (settings: Settings): CloudSettings => ({
  ...NOTHING,
  ...settings.read('cloud'),
});

/** The settings as a response shows them: the token only as a flag. */
export const view = ({ url, heartbeatUrl, token, heartbeatSeconds }: CloudSettings) => ({
  url,
  heartbeatUrl,
  tokenSet: token !== '',
  heartbeatSeconds,
});

/**
 * Stores a patch. If a URL changes and the patch has no token, the stored token is removed: it must be sent only where
 * it was set for. Rejects with an ApiError: `invalid_config` or `persist_failed`; then nothing is stored.
 */
export async function storeCloud(settings: Settings, patch: CloudPatch): Promise<void> {
  check('url', patch.url ?? '');
  check('heartbeatUrl', patch.heartbeatUrl ?? '');
  if (/[?#]/.test(patch.url ?? ''))
    throw invalidConfig('url must not have a query or fragment: paths are appended to it');
  await settings.update((draft) => {
    const before = { ...NOTHING, ...draft.cloud };
    const next = { ...before, ...patch };
    const moved = next.url !== before.url || next.heartbeatUrl !== before.heartbeatUrl;
    draft.cloud = moved && patch.token === undefined ? { ...next, token: '' } : next;
  });
}

/** Header fields of every request to the cloud: version and variant as User-Agent, and the token. */
export function fieldsFor(
  token: string,
  image: { readonly variant: string; readonly version: string },
): Outgoing['headers'] {
  const agent = { 'User-Agent': `tillnode/${image.version} (${image.variant})` };
  return token === '' ? agent : { ...agent, Authorization: `Bearer ${token}` };
}

function check(name: string, url: string): void {
  const fault = urlFault(url);
  if (fault !== undefined) throw invalidConfig(`${name} ${fault}`);
}
