/** The rooms that certify devices, and the certificates that stand in the tree. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Tour } from '../../runtime/certify/tour.ts';
import { play } from '../../runtime/conformance/play.ts';
import type { Plugin } from '../../runtime/kernel/plugin.ts';
import { CERTIFIED, type Certified } from '../../runtime/recipes/accept.ts';
import type { Certificate } from '../../runtime/recipes/certificate.ts';
import type { RecipeRow } from '../../runtime/recipes/row.ts';
import { fromMirrors } from '../contract/mirrors.ts';
import { rows } from '../recipes/files.ts';
import type { Person } from './person.ts';

export interface Room {
  readonly plugin: Plugin;
  readonly tour: Tour;
  readonly person: Person;
}

const people = (await fromMirrors<{ readonly PERSON: Person }>('person.ts')).map(({ PERSON }) => PERSON);

async function roomIn(name: string): Promise<Room> {
  const { tour } = (await import(resolve('plugins', name, 'certify.ts'))) as Pick<Room, 'tour'>;
  const { default: plugin } = (await import(resolve('plugins', name, 'index.ts'))) as { default: Plugin };
  const person = people.find(({ kind }) => kind === tour.kind);
  if (person === undefined) throw new Error(`test/plugins/${name} has no person.ts`);
  return { plugin, tour, person };
}

const named = readdirSync('plugins').filter((name) => existsSync(join('plugins', name, 'certify.ts')));
const rooms = await Promise.all(named.map(roomIn));

/** What is certified in this tree. */
export const KINDS: readonly string[] = rooms.map(({ tour }) => tour.kind);

/** The room that certifies devices of this kind. Throws where there is none. */
export function roomOf(kind: string): Room {
  const room = rooms.find(({ tour }) => tour.kind === kind);
  if (room === undefined) throw new Error(`no room certifies a ${kind}`);
  return room;
}

/** Plays it in the room of its kind, with the rows that its device was driven by: by default those of this tree. */
export async function plays(
  certificate: Certificate,
  driven: readonly RecipeRow[] = rows.filter(({ id }) => id === certificate.drivenBy.id),
): Promise<void> {
  await play(certificate, { ...roomOf(certificate.row.kind), rows: driven });
}

/** Folders of the certificates that a tree has. */
export const certifiedIn = (root: string): string[] =>
  readdirSync(join(root, 'test/plugins'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(`/${CERTIFIED}.json`))
    .map((path) => join(root, 'test/plugins', path, '..'));

/** Plays the certificate in this folder. */
export async function playsIn(folder: string): Promise<void> {
  const { rows: driven, ...certificate } = JSON.parse(
    readFileSync(join(folder, `${CERTIFIED}.json`), 'utf8'),
  ) as Certified;
  const [, ...recording] = readFileSync(join(folder, `${CERTIFIED}.ndjson`), 'utf8').split('\n');
  await plays({ ...certificate, recording: recording.join('\n') }, driven);
}
