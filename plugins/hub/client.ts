/** Shapes of this room that a program gets. */
export type { HubStatus } from './contract.ts';
