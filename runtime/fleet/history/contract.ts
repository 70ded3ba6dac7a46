/** Schemas of the fleet over time. */
import { type Static, Type } from '@sinclair/typebox';
import { closed, open } from '../../base/schema.ts';

/** The query of GET /api/history. */
export const HistoryQuery = closed(
  { hours: Type.Optional(Type.Integer({ minimum: 1, maximum: 744, description: '48 unless given' })) },
  { $id: 'HistoryQuery' },
);

/** The response of GET /api/history, the oldest first. */
export const History = open(
  {
    hours: Type.Array(
      open({
        at: Type.String({
          description: 'when the hour begins, ISO 8601; hours in which no process of the fleet ran are left out',
        }),
        stored: Type.Integer({ description: 'messages of nodes that were taken in, by all processes' }),
        refused: Type.Integer({ description: 'messages that were answered 503' }),
        alerts: Type.Record(Type.String(), Type.Integer(), { description: 'how many began, by rule' }),
      }),
    ),
  },
  { $id: 'History' },
);
export type History = Static<typeof History>;
