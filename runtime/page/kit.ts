/** Everything that a panel of the operator page imports; from outside of this tree its name is `tillnode/panel`. */

export type { Language } from '../base/language.ts';
export { language, speech } from '../base/speech.ts';
export * from './kit/action.tsx';
export * from './kit/badge.tsx';
export * from './kit/config-form.tsx';
export * from './kit/device.tsx';
export * from './kit/drawing.tsx';
export * from './kit/fields.tsx';
export * from './kit/layout.tsx';
export * from './kit/loaded.ts';
export * from './kit/panel.ts';
export * from './kit/qr.tsx';
export * from './kit/random.ts';
export * from './kit/sentences.ts';
export * from './kit/visible.ts';
export { WhatToDo } from './kit/what-to-do.tsx';
