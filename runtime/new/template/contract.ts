/** Shapes of this room: what its routes take and answer, its configuration and its event. Data only: the build writes them into the image. */
import { closed, open, type Static, Type, utf8 } from 'tillnode/plugin';

const Line = Type.String({ minLength: 1, maxLength: 80, pattern: '^[ -~]+$', description: 'printable ASCII' });

export const SampleSay = closed(
  { type: Type.Literal('sample_say'), id: utf8(64), endpoint: utf8(64), line: Line },
  { $id: 'SampleSay' },
);

export const SampleBlock = open(
  {
    endpoint: Type.String(),
    condition: Type.String(),
    /** The last reading; null where there is none. */
    value: Type.Union([Type.String(), Type.Null()]),
  },
  { $id: 'SampleBlock' },
);

export const SampleConfig = closed(
  {
    greeting: Type.Optional(
      Type.String({ maxLength: 80, pattern: '^[ -~]*$', description: 'sent to the device when it is plugged in' }),
    ),
  },
  { $id: 'SampleConfig' },
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
  interface ConfigKeys {
    sample: Required<Static<typeof SampleConfig>>;
  }
}
