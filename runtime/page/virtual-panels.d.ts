/** The panels of the rooms of the variant; the build writes it. */
declare module 'virtual:panels' {
  import type { Panel } from './panel.ts';

  const panels: readonly Panel[];
  export default panels;
}

/** The languages that this document can be had in, each by its own name. */
declare module 'virtual:languages' {
  const languages: Readonly<Record<string, string>>;
  export default languages;
}

/** What a shop asks, with its answers. */
declare module 'virtual:help' {
  import type { HelpSection } from './help.ts';

  const sections: readonly HelpSection[];
  export default sections;
}
