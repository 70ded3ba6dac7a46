/** What whoever has the scale of the twin answers and does to certify it. */
import type { Person } from '../../certify/person.ts';

export const PERSON: Person = {
  kind: 'scale',
  answers: { make: 'DYMO', model: 'M10', weight: '5 g' },
  moves: ({ client: { twin } }) => ({
    coin: () => twin.scale({ grams: 5 }),
    empty: () => twin.scale({ grams: 0 }),
    off: () => twin.scale({ attached: false }),
  }),
};
