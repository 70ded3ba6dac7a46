/**
 * One life of a box between two cuts of its power: it comes up, says what it is, and takes an update, telling each phase
 * of it as it begins.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, watch } from 'node:fs';
import { builtImage, call, mainOf, UPDATE_KEY, upload } from '../../image/launched.ts';
import { type Identity, identity, launchBox, mountDisk, STATE, VARIANT } from './box.ts';

/** The phases of an update, in their order. */
export const PHASES = [
  /** The upload begins; the launcher forgets what was in the slot. */
  'begin',
  /** Bytes are written to the slot as they come. */
  'receive',
  /** The files of the image are written, each synced. */
  'extract',
  /** The manifest is written; slot and folder are synced. */
  'manifest',
  /** The boot state has changed. */
  'switch',
  /** The sender was told that it is done. */
  'answered',
  /** The old image has ended. */
  'ended',
  /** The new image was started, on trial. */
  'trial',
  /** The new image is up, and is marked good. */
  'good',
] as const;
export type Phase = (typeof PHASES)[number];

export type PowerReport = { readonly up: Up } | { readonly phase: Phase } | { readonly trouble: string };

/** What a box is after it was started. */
export interface Up extends Identity {
  /** Every byte of the program that runs is of the version that it says it is. */
  readonly whole: boolean;
  readonly settings: typeof SETTINGS;
}

/** What is set on a new box, and must be there ever after. */
export const SETTINGS = { printWidthCols: 42, hosts: ['till.example'] };

const digest = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function look(url: string): Promise<Up> {
  const { slot, firmwareVersion } = await identity(url);
  const { printWidthCols, hosts } = await call<typeof SETTINGS>(url, 'GET', '/config');
  const main = slot === 'factory' ? undefined : readFileSync(`${STATE}/slots/${slot}/node.cjs`);
  const whole = main === undefined || digest(main) === digest(mainOf(VARIANT, firmwareVersion));
  return { slot, firmwareVersion, whole, settings: { printWidthCols, hosts } };
}

export interface Life {
  /** What it is updated to. */
  readonly version: string;
  /** Whether it has no settings yet. */
  readonly isNew: boolean;
  /** A module that launcher and image load first. */
  readonly preload?: string;
  readonly report: (said: PowerReport) => void;
}

export async function live({ version, isNew, preload, report }: Life): Promise<void> {
  let current = -1;
  const enter = (phase: Phase) => {
    const index = PHASES.indexOf(phase);
    if (current < 0 && phase !== 'begin') return;
    if (index <= current) return;
    current = index;
    report({ phase });
  };
  mountDisk();
  const box = launchBox({
    env: { ...process.env, ...(preload !== undefined && { NODE_OPTIONS: `--import ${preload}` }) },
    onLog: ({ msg }) => {
      if (msg === 'image ended') enter('ended');
      if (msg === 'image started') enter('trial');
    },
  });
  const url = await box.ready(1);
  if (isNew) {
    await call(url, 'PUT', '/config', SETTINGS);
    await call(url, 'PUT', '/update', { updateKey: UPDATE_KEY });
  }
  const up = await look(url).catch((error: Error) => {
    throw new Error(`${error.message}\n${box.log().slice(-2000)}`);
  });
  report({ up });
  const image = builtImage(VARIANT, version);
  const begins: Record<string, Phase> = { '.incoming': 'receive', 'image.json': 'extract', '.manifest': 'manifest' };
  for (const slot of ['a', 'b']) {
    watch(`${STATE}/slots/${slot}`, (_event, name) => {
      const phase = begins[name ?? ''];
      if (phase !== undefined) enter(phase);
    });
  }
  mkdirSync(`${STATE}/boot`, { recursive: true });
  watch(`${STATE}/boot`, (_event, name) => {
    if (/^state\.[ab]$/.test(name ?? '') && PHASES[current] === 'manifest') enter('switch');
  });
  enter('begin');
  const { status, body } = await upload(url, image);
  if (status !== 200) throw new Error(`the update was refused: ${JSON.stringify(body)}`);
  enter('answered');
  await box.ready(2);
  enter('good');
}
