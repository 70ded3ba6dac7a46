/** Reads the formats of a USB camera from its streaming interface (USB Video Class 1.5, 3.9.2). */

const CS_INTERFACE = 0x24;
const VS_FORMAT_UNCOMPRESSED = 0x04;
const VS_FORMAT_MJPEG = 0x06;
/** MPEG-2 TS, DV, frame based (H.264 of UVC 1.1 cameras), stream based, H.264, H.264 simulcast, VP8, VP8 simulcast. */
const VS_OTHER_FORMATS = [0x0a, 0x0c, 0x10, 0x12, 0x13, 0x15, 0x16, 0x18];

/** A format that a camera sends; `other`: none that a picture can be made of here. */
export type StreamFormat = 'mjpeg' | 'uncompressed' | 'other';

/** `extra`: the class-specific descriptors of the streaming interface. An empty set means that the formats are unknown. */
export function streamFormats(extra: Uint8Array): ReadonlySet<StreamFormat> {
  const formats = new Set<StreamFormat>();
  for (let at = 0; at + 2 < extra.length && (extra[at] ?? 0) > 2; at += extra[at] ?? 0) {
    if (extra[at + 1] !== CS_INTERFACE) continue;
    if (extra[at + 2] === VS_FORMAT_MJPEG) formats.add('mjpeg');
    if (extra[at + 2] === VS_FORMAT_UNCOMPRESSED) formats.add('uncompressed');
    if (VS_OTHER_FORMATS.includes(extra[at + 2] ?? 0)) formats.add('other');
  }
  return formats;
}
