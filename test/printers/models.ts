/** Every model, new. A printer that pulses on BEL is one only where its recipe says so. */
import {
  belPulsing,
  bematech,
  bilingual,
  gb18030Lax,
  gbkLax,
  gbkStrict,
  pos80b,
  skipping,
  utf8Counting,
} from './clones.ts';
import type { PrinterModel } from './model.ts';
import { strippingModels } from './stripping.ts';
import { tmT88III } from './tm-t88iii.ts';
import { tmT88VI } from './tm-t88vi.ts';
import { tmU220, tmU295 } from './tm-u220.ts';

export const allModels = (pulsesOnBel = false): readonly PrinterModel[] => [
  tmT88III(),
  tmT88VI('anywhere'),
  tmT88VI('anywhere, taken out'),
  tmU220(),
  tmU295(),
  gbkStrict(),
  gbkLax(),
  gb18030Lax(),
  utf8Counting(),
  pos80b(),
  bilingual('commands'),
  bilingual('anywhere, taken out'),
  bematech(),
  skipping('two more'),
  skipping('three more'),
  ...strippingModels(),
  ...(pulsesOnBel ? [belPulsing()] : []),
];
