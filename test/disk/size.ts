/** How long an image may be, in megabytes of 1,000,000 bytes: as it ships, or compressed for a check, where it is a sixth longer. */
export const MOST_MEGABYTES = process.env['ZSTD_CLEVEL'] === undefined ? 120 : 140;
