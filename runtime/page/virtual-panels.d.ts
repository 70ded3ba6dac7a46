/** The panels of the rooms of the variant; the build writes it. */
declare module 'virtual:panels' {
  import type { Panel } from './panel.ts';

  const panels: readonly Panel[];
  export default panels;
}
