/** The calls (`client.ts`) and error rows (`errors.ts`) of the rooms; the build generates this module. */
declare module 'virtual:client' {
  import type { ErrorRow } from '../kernel/errors.ts';
  import type { RoomClient } from './access.ts';

  export const rooms: readonly RoomClient[];
  export const errors: readonly ErrorRow[];
}
