import { Epos } from '../../../plugins/epos/contract.ts';
import epos from '../../../plugins/epos/index.ts';

/** On, while a test of the contract looks. */
export const inShop = { ...epos, config: [{ key: 'epos', schema: Epos, default: { enabled: true } }] };
