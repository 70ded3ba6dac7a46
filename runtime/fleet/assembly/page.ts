/** Makes the page of operators. */
import { resolve } from 'node:path';
import { KindGuard } from '@sinclair/typebox';
import type { Plugin as EsbuildPlugin } from 'esbuild';
import { type MadeDocument, makeDocument, shownOf } from '../../assembly/page/document-module.ts';
import { contractsAsData } from '../../assembly/variant/contracts-as-data.ts';
import * as nodes from '../nodes/contract.ts';
import * as rollouts from '../rollouts/contract.ts';
import * as settings from '../settings/contract.ts';

/** Contracts of which the page reads more than types. */
const CONTRACTS = new Map<string, object>(
  Object.entries({ nodes, rollouts, settings }).map(([folder, contract]) => [
    resolve(`runtime/fleet/${folder}/contract.ts`),
    contract,
  ]),
);

/** The document. Rejects if a file of it does not compile. Runs at the root of this tree. */
export const makeFleetPage = (...plugins: readonly EsbuildPlugin[]): Promise<MadeDocument> =>
  makeDocument(
    'fleet',
    [],
    contractsAsData(
      async () => CONTRACTS,
      (value) => (KindGuard.IsSchema(value) ? shownOf(value) : value),
    ),
    ...plugins,
  );
