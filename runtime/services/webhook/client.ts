/** The types of this room in the client. */
export type { WebhookStatus } from './contract.ts';
