/** The diagnostic ring's switch (specification 3.4). */
import { Type } from '@sinclair/typebox';

export const Capture = Type.Boolean({ description: 'the diagnostic ring records' });
