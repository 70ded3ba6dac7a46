/** Shapes of this room that a program gets. */
export type { WebhookStatus } from './contract.ts';
