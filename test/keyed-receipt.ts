/** A receipt that is known on the paper by its first and its last line, of 20 to 200 others by its number. */
export const receipt = (name: string) => ({
  type: 'print' as const,
  id: name,
  endpoint: 'receipt',
  lines: [
    { type: 'text' as const, value: `<${name}>` },
    ...Array.from({ length: 20 * (1 + (Number(name.split('-')[1]) % 10)) }, (_, n) => ({
      type: 'text' as const,
      value: `${n + 1} x Coffee, black, to go`,
    })),
    { type: 'text' as const, value: `</${name}>` },
    { type: 'cut' as const },
  ],
});

/** How often the first and the last line of a receipt are on a paper, whatever status requests stand between. */
export function countsOn(paper: Uint8Array): (name: string) => { readonly begun: number; readonly ended: number } {
  const [first = '', ...rest] = Buffer.from(paper).toString('latin1').split('\x10\x04');
  // DLE EOT n
  const text = [first, ...rest.map((behind) => behind.slice(1))].join('');
  const times = (what: string) => text.split(what).length - 1;
  return (name) => ({ begun: times(`<${name}>`), ended: times(`</${name}>`) });
}
