/** Why nothing was done or written, in words. */
export class Refused extends Error {}
