/** Shapes of this room: what PUT /display takes, what GET /display answers, its configuration and its event. */
import { closed, open, type Static, Type } from 'tillnode/plugin';

const Lines = Type.Array(Type.String({ maxLength: 80 }), { maxItems: 2 });

export const ShowLines = closed(
  {
    /** None goes back to the idle text. */
    lines: Lines,
  },
  { $id: 'DisplayShowLines' },
);

export const DisplayBlock = open(
  {
    endpoint: Type.String(),
    condition: Type.String(),
    /** What it shows; empty where nothing is known. */
    lines: Lines,
    /** Cells in a row, of the display that is bound. */
    columns: Type.Optional(Type.Integer()),
    /** How often something was shown since the node started, on this display and on those before it. */
    shown: Type.Integer({ minimum: 0 }),
  },
  { $id: 'DisplayBlock' },
);

export const DisplayConfig = closed(
  {
    idle: Type.Optional(Lines),
    brightness: Type.Optional(Type.Integer({ minimum: 1, maximum: 4, description: '1 is 20 %, 4 is 100 %' })),
    blink: Type.Optional(Type.Boolean()),
  },
  { $id: 'DisplayConfig' },
);
export type DisplaySettings = Required<Static<typeof DisplayConfig>>;

export const DisplayShown = open(
  { type: Type.Literal('display_shown'), endpoint: Type.String(), lines: Lines },
  { $id: 'DisplayShown' },
);

declare module 'tillnode/registry' {
  interface WebhookEvents {
    display_shown: Static<typeof DisplayShown>;
  }
  interface ConfigKeys {
    display: DisplaySettings;
  }
}
