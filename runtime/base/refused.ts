/** Why nothing was written, in words. */
export class Refused extends Error {}
