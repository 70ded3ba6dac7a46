/** Words of the camera's panel. */
const en = {
  title: 'Camera',
} as const;

export const words = { en };
