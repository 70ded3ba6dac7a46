/** What the rooms bring to the client: their `client.ts` and `errors.ts`. The build writes it. */
declare module 'virtual:client' {
  import type { ErrorRow } from '../kernel/errors.ts';
  import type { RoomClient } from './access.ts';

  export const rooms: readonly RoomClient[];
  export const errors: readonly ErrorRow[];
}
