/**
 * Cuts a font down to the characters that an image draws, with HarfBuzz's subsetter as harfbuzzjs ships it: a WebAssembly
 * module without imports, which exports the C functions of hb-subset.h.
 */
import { readFileSync } from 'node:fs';

interface Subsetter {
  readonly memory: { readonly buffer: ArrayBuffer };
  _initialize(): void;
  malloc(bytes: number): number;
  free(pointer: number): void;
  hb_blob_create(data: number, length: number, mode: number, userData: number, destroy: number): number;
  hb_blob_destroy(blob: number): void;
  hb_blob_get_data(blob: number, length: number): number;
  hb_blob_get_length(blob: number): number;
  hb_face_create(blob: number, index: number): number;
  hb_face_destroy(face: number): void;
  hb_face_reference_blob(face: number): number;
  hb_set_add(set: number, codePoint: number): void;
  hb_subset_input_create_or_fail(): number;
  hb_subset_input_destroy(input: number): void;
  hb_subset_input_set(input: number, kind: number): number;
  hb_subset_input_set_flags(input: number, flags: number): void;
  hb_subset_input_unicode_set(input: number): number;
  hb_subset_or_fail(face: number, input: number): number;
}

/** HB_MEMORY_MODE_WRITABLE and HB_SUBSET_FLAGS_NO_HINTING: no instructions for pixels of a screen. */
const WRITABLE = 2;
const NO_HINTING = 1;
/** HB_SUBSET_SETS_DROP_TABLE_TAG: names of the font, which its licence may reserve, and of glyphs. */
const DROPPED = 3;
const TABLES = ['name', 'post', 'OS/2', 'STAT', 'meta'];
const tag = (name: string): number => Buffer.from(name).readUInt32BE();

/** The types of this project are those of Node, which leave it to the DOM's to describe WebAssembly. */
const { WebAssembly: assembly } = globalThis as unknown as {
  WebAssembly: {
    Module: new (bytes: Uint8Array) => object;
    Instance: new (module: object) => { readonly exports: unknown };
  };
};

let loaded: Subsetter | undefined;
function load(): Subsetter {
  if (loaded === undefined) {
    const bytes = readFileSync('node_modules/harfbuzzjs/dist/harfbuzz-subset.wasm');
    loaded = new assembly.Instance(new assembly.Module(bytes)).exports as Subsetter;
    loaded._initialize();
  }
  return loaded;
}

/** Gives a TrueType font that has only these code points, and what shaping makes of them. Throws where the font is broken. */
export function subset(font: Uint8Array, codePoints: Iterable<number>): Uint8Array {
  const hb = load();
  const data = hb.malloc(font.length);
  new Uint8Array(hb.memory.buffer, data, font.length).set(font);
  const blob = hb.hb_blob_create(data, font.length, WRITABLE, 0, 0);
  const face = hb.hb_face_create(blob, 0);
  const input = hb.hb_subset_input_create_or_fail();
  const wanted = hb.hb_subset_input_unicode_set(input);
  for (const codePoint of codePoints) hb.hb_set_add(wanted, codePoint);
  const dropped = hb.hb_subset_input_set(input, DROPPED);
  for (const table of TABLES) hb.hb_set_add(dropped, tag(table));
  hb.hb_subset_input_set_flags(input, NO_HINTING);
  const small = hb.hb_subset_or_fail(face, input);
  if (small === 0) throw new Error('the font cannot be subset');
  const result = hb.hb_face_reference_blob(small);
  const at = hb.hb_blob_get_data(result, 0);
  const copy = new Uint8Array(hb.memory.buffer, at, hb.hb_blob_get_length(result)).slice();
  hb.hb_blob_destroy(result);
  hb.hb_face_destroy(small);
  hb.hb_subset_input_destroy(input);
  hb.hb_face_destroy(face);
  hb.hb_blob_destroy(blob);
  hb.free(data);
  return copy;
}
