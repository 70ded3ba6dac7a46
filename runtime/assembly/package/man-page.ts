/** The manual page of the command line, tillnode(1), made of its help (man-pages(7)). */

const escaped = (text: string) =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^([.'])/gm, '\\&$1');

/** The page in the language of man(1). `help`: what `tillnode help` says, usage first. */
export function manPage(help: string, version: string, date: Date): string {
  const [usage = '', ...rest] = help.trim().split('\n');
  return `.TH TILLNODE 1 "${date.toISOString().slice(0, 10)}" "tillnode ${version}" "User Commands"
.SH NAME
tillnode \\- ask a till node, and have it print
.SH SYNOPSIS
.B ${escaped(usage.replace(/^usage: /, ''))}
.SH DESCRIPTION
Talks to a node over its API: the one of this machine, or the one that
.B \\-\\-node
or
.B TILLNODE_URL
names.
.SH COMMANDS AND OPTIONS
.nf
${escaped(rest.join('\n').replace(/^\n+/, ''))}
.fi
.SH FILES
.TP
.I /var/lib/tillnode
State of the node that runs as a service: settings, images, the list of its starts.
.TP
.I /usr/share/doc/tillnode/README.Debian
How the service is run on Debian.
.SH SEE ALSO
.BR journalctl (1),
.BR systemctl (1)
`;
}
