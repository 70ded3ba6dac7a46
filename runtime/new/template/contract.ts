/** Shapes of this room: what GET /sample answers, and its event. Data only: the build writes them into the image. */
import { open, type Static, Type } from 'tillnode/plugin';

export const SampleBlock = open(
  {
    endpoint: Type.String(),
    condition: Type.String(),
    /** The last reading; null where there is none. */
    value: Type.Union([Type.String(), Type.Null()]),
  },
  { $id: 'SampleBlock' },
);

export const SampleRead = open(
  {
    type: Type.Literal('sample_read'),
    endpoint: Type.String(),
    value: Type.String(),
  },
  { $id: 'SampleRead' },
);

declare module 'tillnode/registry' {
  interface WebhookEvents {
    sample_read: Static<typeof SampleRead>;
  }
}
