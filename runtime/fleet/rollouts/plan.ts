/** How a rollout goes on where nobody says otherwise. */
import type { Plan } from './contract.ts';

export const DEFAULT_PLAN: Plan = {
  groups: ['1', '1%', '10%', '100%'],
  bySite: false,
  window: '',
  healthyPercent: 95,
  errorPercent: 1,
  healthyAfterSeconds: 600,
  lostAfterSeconds: 3600,
  stuckAfterSeconds: 86_400,
};

/** A row with its whole plan: one that an earlier version began lacks what that did not know. */
export const planned = <R extends { readonly plan: Partial<Plan> }>(row: R): R & { readonly plan: Plan } => ({
  ...row,
  plan: { ...DEFAULT_PLAN, ...row.plan },
});
