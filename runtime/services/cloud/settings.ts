/** The stored cloud settings: who may be talked to, with which token (specification 2.12). */
import type { Outgoing } from '../../http/outbound.ts';
import { urlFault } from '../../http/urls.ts';
import { invalidConfig } from '../../kernel/config.ts';
import type { Settings } from '../../kernel/settings.ts';
import type { CloudPatch, CloudSettings } from './contract.ts';

const NOTHING: CloudSettings = { url: '', heartbeatUrl: '', token: '', heartbeatSeconds: 60 };

export const cloudOf = (settings: Settings): CloudSettings => ({
  ...NOTHING,
  ...settings.read('cloud'),
});

/** What a read may show. */
export const view = ({ url, heartbeatUrl, token, heartbeatSeconds }: CloudSettings) => ({
  url,
  heartbeatUrl,
  tokenSet: token !== '',
  heartbeatSeconds,
});

/** Throws `invalid_config` or `persist_failed`; nothing is stored then. The token goes only where it was given for. */
export async function storeCloud(settings: Settings, patch: CloudPatch): Promise<void> {
  check('url', patch.url ?? '');
  check('heartbeatUrl', patch.heartbeatUrl ?? '');
  if (/[?#]/.test(patch.url ?? '')) throw invalidConfig('url must have neither query nor fragment: paths go under it');
  await settings.update((draft) => {
    const before = { ...NOTHING, ...draft.cloud };
    const next = { ...before, ...patch };
    const moved = next.url !== before.url || next.heartbeatUrl !== before.heartbeatUrl;
    draft.cloud = moved && patch.token === undefined ? { ...next, token: '' } : next;
  });
}

/** Header fields of every request to the cloud: the version and variant let it choose what fits. */
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
