/** `tillnode/panel`: everything that a panel of the operator page imports. */
export * from '../page/kit.ts';
