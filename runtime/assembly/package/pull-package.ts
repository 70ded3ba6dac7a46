/**
 * The Debian package of `tillnode pull`, for every architecture: the program beside a node, with a user, a memory limit and a unit of
 * its own. It runs on the Node of the node's package, and is off until there is a file that says which till it asks.
 */
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import pkg from '../../../package.json' with { type: 'json' };
import { clientOf } from '../client/client-module.ts';
import { createLicenses } from '../licenses/licenses.ts';
import { buildDeb, copyrightHead, stagedIn } from './deb.ts';

const NAME = 'tillnode-pull';
const SOURCES = 'runtime/assembly/package/debian-pull';
const HOME = `usr/lib/${NAME}`;

/** Makes the package in a folder; resolves with its path. `work`: a folder that is made anew. */
export async function pullPackage(work: string, folder: string): Promise<string> {
  const staged = stagedIn(work);
  const licenses = createLicenses();
  await build({
    entryPoints: ['runtime/pull/main.ts'],
    outfile: join(work, HOME, 'pull.js'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    mainFields: ['module', 'main'],
    minifySyntax: true,
    minifyWhitespace: true,
    plugins: [licenses.collect, clientOf(roomsHere())],
    logLevel: 'warning',
  });
  staged.write(`${HOME}/package.json`, '{"type":"module"}\n');
  staged.put(join(SOURCES, 'tillnode-pull.service'), `usr/lib/systemd/system/${NAME}.service`);
  staged.put(join(SOURCES, 'README.Debian'), `usr/share/doc/${NAME}/README.Debian`);
  staged.put(join(SOURCES, 'example.json'), `usr/share/doc/${NAME}/examples/tillnode-pull.json`);
  staged.write(`usr/share/doc/${NAME}/licenses.txt`, licenses.text());
  staged.write(
    `usr/share/doc/${NAME}/copyright`,
    copyrightHead(`The packages in the program have licenses of their own: /usr/share/doc/${NAME}/licenses.txt.`),
  );
  const target = join(folder, `${NAME}_${pkg.version}_all.deb`);
  buildDeb(
    work,
    staged,
    {
      name: NAME,
      arch: 'all',
      depends: 'adduser, tillnode',
      synopsis: 'receipts of hosted tills, printed on a till node',
      description: [
        'A program beside a till node that asks hosted tills for receipts, as printers',
        'do (Epson Server Direct Print, Star CloudPRNT), and prints them by the API of',
        'the node. The node itself asks no server for jobs.',
        '.',
        'It is off until /etc/tillnode-pull.json says which till it asks.',
      ],
      change: 'The program beside the node.',
      scripts: SOURCES,
    },
    target,
  );
  return target;
}

/** The client knows the rooms of all variants. */
const roomsHere = (): string[] =>
  ['runtime/services', 'plugins'].flatMap((parent) => readdirSync(parent).map((name) => resolve(parent, name)));
