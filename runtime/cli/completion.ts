/** What a shell completes behind `tillnode`. */

/**
 * A script for bash (zsh takes it after `autoload bashcompinit && bashcompinit`): the commands, and behind each its options; else
 * names of files. `options`: those of each command.
 */
export const completionOf = (options: Readonly<Record<string, readonly string[]>>): string =>
  [
    '_tillnode() {',
    '  local command words=',
    '  read -r _ command _ <<< "$COMP_LINE"',
    `  if [ "$COMP_CWORD" = 1 ]; then words='${Object.keys(options).join(' ')}'`,
    '  else case $command in',
    `    help) words='${Object.keys(options).join(' ')}';;`,
    ...Object.entries(options)
      .filter(([name, own]) => name !== 'help' && own.length > 0)
      .map(([name, own]) => `    ${name}) words='${own.join(' ')}';;`),
    '  esac; fi',
    '  COMPREPLY=($(compgen -W "$words" -- "$2"))',
    '}',
    'complete -o default -F _tillnode tillnode',
    '',
  ].join('\n');
