// An import declaration by a relative name would be `any` in an ambient module.

/** The panels of the rooms of the variant; the build writes it. */
declare module 'virtual:panels' {
  const panels: readonly import('./kit/panel.ts').Panel[];
  export default panels;
}

/** The languages that this document can be had in, each by its own name. */
declare module 'virtual:languages' {
  const languages: Readonly<Record<string, string>>;
  export default languages;
}

/** What a shop asks, with its answers. */
declare module 'virtual:help' {
  const help: import('./help.ts').Help;
  export default help;
}
