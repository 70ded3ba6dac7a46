/**
 * JPEG (ITU-T T.81) to shades of grey: baseline, extended and progressive, Huffman-coded, eight bits a sample. The luma of
 * a picture is its shade (JFIF 1.02), so the other components are passed over.
 */
import { orientationIn, upright } from './exif.ts';
import { type HuffmanTable, huffmanTable } from './jpeg-bits.ts';
import { inverseDct } from './jpeg-dct.ts';
import { type Component, type Frame, scanned, ZIGZAG } from './jpeg-scan.ts';
import { atOnce, checkSize, type Grey, PictureError, type PictureSteps } from './picture.ts';

/** True where the bytes begin as a JPEG does. */
export const isJpeg = (bytes: Uint8Array): boolean => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;

const corrupted = (words: string) => new PictureError('corrupted', `JPEG: ${words}`);
const unread = (words: string) => new PictureError('format', `JPEG: ${words}`);

/** Table B.1. */
const SOF0 = 0xc0;
const SOF2 = 0xc2;
const DHT = 0xc4;
const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const DQT = 0xdb;
const DRI = 0xdd;
const APP0 = 0xe0;
const APP1 = 0xe1;
const APP14 = 0xee;
/** Frames of another coding: lossless, hierarchical, arithmetic. */
const OTHER_FRAMES = new Set([0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf]);
/** More than any camera writes. */
const MOST_SEGMENTS = 1000;
/** Each costs a pass over the picture: ten are usual of a progressive one. */
const MOST_SCANS = 100;
/** Huffman tables, whichever they replace: each takes its place in memory. */
const MOST_TABLES = 1000;

/** Throws a PictureError where it is damaged, too large, or of a kind that is not read (CMYK and RGB, arithmetic coding). */
export const decodeJpeg = (bytes: Uint8Array): Grey => atOnce(decodingJpeg(bytes));

/** As `decodeJpeg`, a few blocks at a step. */
export function* decodingJpeg(bytes: Uint8Array): PictureSteps<Grey> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const quantizations: Uint16Array[] = [];
  const tables = { dc: [] as HuffmanTable[], ac: [] as HuffmanTable[] };
  let frame: Frame | undefined;
  let quantization: Uint16Array | undefined;
  let restartInterval = 0;
  let orientation: number | undefined;
  const marks = { jfif: false, adobe: undefined as number | undefined };
  let at = 0;
  let scans = 0;
  let tablesRead = 0;
  for (let segments = 0; ; segments += 1) {
    if (segments > MOST_SEGMENTS || scans > MOST_SCANS) throw corrupted('it has too many parts');
    // Any number of FF may stand before a marker (B.1.1.2).
    while (bytes[at] === 0xff && bytes[at + 1] === 0xff) at += 1;
    const marker = bytes[at] === 0xff ? bytes[at + 1] : EOI;
    at += 2;
    if (marker === SOI) continue;
    // Where the end is missing, the picture may still be whole.
    if (marker === EOI || marker === undefined) break;
    const length = at + 2 <= bytes.length ? view.getUint16(at) : Number.POSITIVE_INFINITY;
    if (length < 2 || at + length > bytes.length) throw corrupted('it is cut short');
    const data = bytes.subarray(at + 2, at + length);
    at += length;
    if (marker === DQT) readQuantizations(data, quantizations);
    else if (marker === DHT) tablesRead = yield* readTables(data, tables, tablesRead);
    else if (marker === DRI) restartInterval = ((data[0] ?? 0) << 8) | (data[1] ?? 0);
    else if (marker === APP0) marks.jfif ||= data[0] === 0x4a && data[1] === 0x46;
    else if (marker === APP1) orientation ??= orientationIn(data);
    else if (marker === APP14 && data.length >= 12 && data[0] === 0x41) marks.adobe = data[11];
    else if (marker >= SOF0 && marker <= SOF2) {
      if (frame !== undefined) throw corrupted('it has two frames');
      frame = frameOf(data, marker === SOF2);
    } else if (OTHER_FRAMES.has(marker)) throw unread('it is coded in a way that is not known');
    else if (marker === SOS) {
      if (frame === undefined) throw corrupted('its frame is missing');
      if (!hasLuma(frame, marks)) throw unread('its colours are neither grey nor YCbCr');
      quantization ??= quantizations[frame.components[0]!.quantization];
      scans += 1;
      at = yield* scanned(bytes, at, data, frame, tables, restartInterval);
    }
  }
  if (!frame?.components[0]?.isSeen) throw corrupted('it is cut short');
  if (quantization === undefined) throw corrupted('a table is missing');
  return yield* upright(yield* samplesOf(frame, quantization), orientation ?? 1);
}

/** B.2.4.1, into rows. */
function readQuantizations(data: Uint8Array, quantizations: Uint16Array[]): void {
  for (let at = 0; at < data.length; ) {
    const [wide, number] = [data[at]! >> 4, data[at]! & 3];
    const table = new Uint16Array(64);
    for (let index = 0; index < 64; index += 1) {
      const place = at + 1 + (wide ? 2 * index : index);
      table[ZIGZAG[index]!] = wide ? ((data[place] ?? 0) << 8) | (data[place + 1] ?? 0) : (data[place] ?? 0);
    }
    quantizations[number] = table;
    at += 1 + (wide ? 128 : 64);
  }
}

/** B.2.4.2. `before`: tables that were read so far; returns how many there are then. */
function* readTables(
  data: Uint8Array,
  tables: { readonly dc: HuffmanTable[]; readonly ac: HuffmanTable[] },
  before: number,
): PictureSteps<number> {
  let count = before;
  for (let at = 0; at + 17 <= data.length; ) {
    count += 1;
    if (count > MOST_TABLES) throw corrupted('it has too many parts');
    const counts = data.subarray(at + 1, at + 17);
    const size = counts.reduce((sum, count) => sum + count, 0);
    const values = data.subarray(at + 17, at + 17 + size);
    if (values.length < size) throw corrupted('a table is cut short');
    (data[at]! >> 4 ? tables.ac : tables.dc)[data[at]! & 3] = huffmanTable(counts, values);
    at += 17 + size;
    yield;
  }
  return count;
}

/** B.2.2. */
function frameOf(data: Uint8Array, progressive: boolean): Frame {
  const [depth, high = 0, low = 0, left = 0, right = 0, count = 0] = data;
  const [height, width] = [(high << 8) | low, (left << 8) | right];
  if (depth !== 8) throw unread('its samples have no 8 bits');
  // A height of 0 would come behind the first scan (DNL).
  if (height === 0) throw unread('its height does not stand in its header');
  checkSize(width, height);
  if ((count !== 1 && count !== 3) || data.length < 6 + 3 * count)
    throw unread('its colours are neither grey nor YCbCr');
  const parts = Array.from({ length: count }, (_, index) => data.subarray(6 + 3 * index, 9 + 3 * index));
  const [mostX, mostY] = [
    Math.max(...parts.map((each) => each[1]! >> 4)),
    Math.max(...parts.map((each) => each[1]! & 15)),
  ];
  const components = parts.map(([id = 0, sampling = 0, quantization = 0]): Component => {
    // The only component of a scan is not interleaved, whatever its factors (A.2.2).
    const [across, down] = count === 1 ? [1, 1] : [sampling >> 4, sampling & 15];
    if (across < 1 || across > 4 || down < 1 || down > 4) throw corrupted('its frame is wrong');
    return { id, across, down, quantization: quantization & 3, prediction: 0, isSeen: false };
  });
  const [unitsX, unitsY] = count === 1 ? [1, 1] : [mostX, mostY];
  const [luma] = components as [Component];
  if (luma.across !== unitsX || luma.down !== unitsY) throw unread('its luma has fewer samples than its colours');
  const [mcusAcross, mcusDown] = [Math.ceil(width / (8 * unitsX)), Math.ceil(height / (8 * unitsY))];
  const blocksAcross = mcusAcross * luma.across;
  const coefficients = new Int16Array(64 * blocksAcross * mcusDown * luma.down);
  return { width, height, progressive, components, mcusAcross, mcusDown, blocksAcross, coefficients };
}

/** Whether the first component is luma: JFIF says so, else Adobe's transform, else the names of the components. */
function hasLuma({ components }: Frame, { jfif, adobe }: { jfif: boolean; adobe: number | undefined }): boolean {
  if (components.length === 1 || jfif) return true;
  if (adobe !== undefined) return adobe === 1;
  return String.fromCharCode(...components.map(({ id }) => id)) !== 'RGB';
}

function* samplesOf(
  { width, height, blocksAcross, coefficients }: Frame,
  quantization: Uint16Array,
): PictureSteps<Grey> {
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 8) {
    for (let x = 0; x < width; x += 8) {
      const block = 64 * ((y >> 3) * blocksAcross + (x >> 3));
      const [across, down] = [Math.min(8, width - x), Math.min(8, height - y)];
      inverseDct(coefficients, block, quantization, data, y * width + x, width, across, down);
    }
    yield;
  }
  return { width, height, data };
}
