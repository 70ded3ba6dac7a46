// An import declaration by a relative name would be `any` in an ambient module.

/** The error rows (`errors.ts`) of the rooms, in the module with their calls; a file of its own, as the calls need errors. */
declare module 'virtual:client' {
  export const errors: readonly import('../kernel/errors.ts').ErrorRow[];
}
