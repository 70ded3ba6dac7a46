/** The migrations in their order, which grows at its end; each stands with the tables that it is about. */
import type { Migration } from './tables/migration.ts';
import {
  BOOTS,
  CODECS,
  COUNTED,
  HOURS,
  LISTED,
  LISTED_FILLED,
  LISTENERS,
  LOOKS,
  NODES,
  ODDITIES_COUNTED,
  STARTS,
  STATES,
} from './tables/nodes.ts';
import {
  ALERT_NAMES,
  ALERTS,
  MAKERS,
  OPERATORS,
  PEOPLE,
  RENEWALS,
  SIGN_IN,
  SITES,
  TALLIES,
} from './tables/operators.ts';
import { CAUSES, FIRMWARE, RECIPES, WAVES } from './tables/releases.ts';
import { FOLD, FOLDED_FILLED } from './tables/words.ts';

export const MIGRATIONS: readonly Migration[] = [
  NODES,
  OPERATORS,
  ALERTS,
  RECIPES,
  FIRMWARE,
  SIGN_IN,
  BOOTS,
  SITES,
  LISTENERS,
  HOURS,
  CODECS,
  PEOPLE,
  WAVES,
  MAKERS,
  LOOKS,
  RENEWALS,
  TALLIES,
  STATES,
  LISTED,
  LISTED_FILLED,
  COUNTED,
  FOLD,
  FOLDED_FILLED,
  ALERT_NAMES,
  ODDITIES_COUNTED,
  CAUSES,
  STARTS,
];
