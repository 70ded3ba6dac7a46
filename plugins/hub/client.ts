/** The types of this room that the client exports. */
export type { HubStatus } from './contract.ts';
