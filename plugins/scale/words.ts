/** Words of the scale's panel. */
const en = {
  title: 'Scale',
  tillAsleep: 'Asleep: press its button',
  under_zero: 'The scale shows less than zero',
  over_limit: 'There is more on the scale than it can weigh',
  needs_calibration: 'The scale asks to be calibrated',
  needs_rezero: 'The scale asks to be set to zero',
  fault: 'The scale reports a fault',
} as const;

export const words = { en };
