/** Everything that a panel is written with: `tillnode/panel`. */
export * from '../page/kit/action.tsx';
export * from '../page/kit/badge.tsx';
export * from '../page/kit/config-form.tsx';
export * from '../page/kit/device.tsx';
export * from '../page/kit/drawing.tsx';
export * from '../page/kit/fields.tsx';
export * from '../page/kit/language.ts';
export * from '../page/kit/layout.tsx';
export * from '../page/kit/loaded.ts';
export * from '../page/kit/qr.tsx';
export * from '../page/kit/random.ts';
export * from '../page/kit/sentences.ts';
export * from '../page/kit/visible.ts';
export * from '../page/panel.ts';
