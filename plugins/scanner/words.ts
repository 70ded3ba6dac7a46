/** Words of the scanner's panel. */
const en = {
  title: 'Scanner',
} as const;

export const words = { en };
