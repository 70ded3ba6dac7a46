/** Reads the formats of a USB camera from its streaming interface (USB Video Class 1.5, 3.9.2). */

const CS_INTERFACE = 0x24;
const VS_FORMAT_UNCOMPRESSED = 0x04;
const VS_FORMAT_MJPEG = 0x06;

/** `extra`: the class-specific descriptors of the streaming interface. An empty set means that the formats are unknown. */
export function streamFormats(extra: Uint8Array): ReadonlySet<'mjpeg' | 'uncompressed'> {
  const formats = new Set<'mjpeg' | 'uncompressed'>();
  for (let at = 0; at + 2 < extra.length && (extra[at] ?? 0) > 2; at += extra[at] ?? 0) {
    if (extra[at + 1] !== CS_INTERFACE) continue;
    if (extra[at + 2] === VS_FORMAT_MJPEG) formats.add('mjpeg');
    if (extra[at + 2] === VS_FORMAT_UNCOMPRESSED) formats.add('uncompressed');
  }
  return formats;
}
