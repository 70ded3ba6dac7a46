/** Reasons of rejections that the contract names, `second_KIND` of each kind of the twin that there is one place for. */
import { compose } from '../runtime/kernel/composition.ts';
import { CORE_ERRORS } from '../runtime/kernel/core-errors.ts';
import { twinPlugins } from './plugins.ts';

const { endpoints } = compose(twinPlugins, CORE_ERRORS);
const FIXED = [
  ...['no_channel', 'unsupported_language', 'no_codec', 'claim_failed', 'bad_descriptor', 'probe_failed'],
  'not_in_variant',
];
const kinds = [...endpoints.values()].filter(({ transport }) => transport === 'usb').map(({ kind }) => kind);

export const REASONS: readonly string[] = [
  ...FIXED,
  ...kinds.filter((kind) => kind !== 'hub').map((kind) => `second_${kind}`),
];
