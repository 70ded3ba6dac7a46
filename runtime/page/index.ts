/** Everything that a panel is written with: `tillnode/panel`. */
export * from './kit/action.tsx';
export * from './kit/badge.tsx';
export * from './kit/config-form.tsx';
export * from './kit/drawing.tsx';
export * from './kit/fields.tsx';
export * from './kit/layout.tsx';
export * from './kit/loaded.ts';
export * from './kit/random.ts';
export * from './kit/visible.ts';
export * from './kit/words.ts';
export * from './panel.ts';
