/** `tillnode/panel`: everything that a panel of the operator page imports. */
export * from '../page/kit/action.tsx';
export * from '../page/kit/badge.tsx';
export type { Catalogue, Language } from '../page/kit/catalogue.ts';
export * from '../page/kit/config-form.tsx';
export * from '../page/kit/device.tsx';
export * from '../page/kit/drawing.tsx';
export * from '../page/kit/fields.tsx';
export { language, speech } from '../page/kit/language.ts';
export * from '../page/kit/layout.tsx';
export * from '../page/kit/loaded.ts';
export * from '../page/kit/qr.tsx';
export * from '../page/kit/random.ts';
export * from '../page/kit/sentences.ts';
export * from '../page/kit/visible.ts';
export { WhatToDo } from '../page/kit/what-to-do.tsx';
export * from '../page/panel.ts';
