// An import declaration by a relative name would be `any` in an ambient module.

/** The calls (`client.ts`) of the rooms; the build generates this module. */
declare module 'virtual:client' {
  export const rooms: readonly import('./access.ts').RoomClient[];
}
