/** The rooms that certify devices, and the certificates that stand in the tree. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CERTIFIED, type Certified } from '../../runtime/build/recipe-accept.ts';
import type { Certificate } from '../../runtime/certify/contract.ts';
import { play } from '../../runtime/certify/play.ts';
import type { Tour } from '../../runtime/certify/tour.ts';
import type { Plugin } from '../../runtime/kernel/plugin.ts';
import type { RecipeRow } from '../../runtime/kernel/recipes.ts';

export interface Room {
  readonly plugin: Plugin;
  readonly tour: Tour;
}

const named = readdirSync('plugins').filter((name) => existsSync(join('plugins', name, 'certify.ts')));
/** By the kind of their devices. */
export const ROOMS: Readonly<Record<string, Room>> = Object.fromEntries(
  await Promise.all(
    named.map(async (name) => {
      const { tour } = (await import(resolve('plugins', name, 'certify.ts'))) as Pick<Room, 'tour'>;
      const { default: plugin } = (await import(resolve('plugins', name, 'index.ts'))) as { default: Plugin };
      return [tour.kind, { plugin, tour }] as const;
    }),
  ),
);

/** Plays it in the room of its kind, with the rows that its device was driven by. */
export async function plays(certificate: Certificate, rows: readonly RecipeRow[]): Promise<void> {
  const room = ROOMS[certificate.row.kind];
  if (room === undefined) throw new Error(`no room certifies a ${certificate.row.kind}`);
  await play(certificate, { ...room, rows });
}

/** Folders of the certificates that a tree has. */
export const certifiedIn = (root: string): string[] =>
  readdirSync(join(root, 'test/plugins'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(`/${CERTIFIED}.json`))
    .map((path) => join(root, 'test/plugins', path, '..'));

/** Plays the certificate in this folder. */
export async function playsIn(folder: string): Promise<void> {
  const { rows, ...certificate } = JSON.parse(readFileSync(join(folder, `${CERTIFIED}.json`), 'utf8')) as Certified;
  const [, ...recording] = readFileSync(join(folder, `${CERTIFIED}.ndjson`), 'utf8').split('\n');
  await plays({ ...certificate, recording: recording.join('\n') }, rows);
}
