import { network } from '../../../runtime/services/network/index.ts';
import { SHORT } from './node.ts';

/** Joins nothing while a test of the contract looks. */
export const inShop = network({ ...SHORT, answerMs: 60_000 });
