/** GET /camera/stream: a series of pictures as multipart/x-mixed-replace, each replaces the one before. */
import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Picture } from '../../codecs/mjpeg.ts';
import { LiveStream, type Slot } from '../../runtime/http/streams.ts';

const BOUNDARY = 'picture';
/** The Content-Type of the stream. */
export const STREAM_TYPE = `multipart/x-mixed-replace; boundary=${BOUNDARY}`;

/** The stream of one viewer. */
export class PictureStream extends LiveStream {
  #over = false;

  /** Starts to send the pictures of `capture`; the stream ends when that rejects. */
  static begin(request: IncomingMessage, slot: Slot, capture: () => Promise<Picture>): PictureStream {
    const stream = new PictureStream(request, slot);
    void stream.#run(capture);
    return stream;
  }

  override end(): void {
    this.#over = true;
    super.end();
  }

  async #run(capture: () => Promise<Picture>): Promise<void> {
    try {
      while (!this.destroyed && !this.#over) this.#offer(await capture());
    } catch {
      this.end();
    }
  }

  /** Sends a picture, unless the viewer has not received the one before: at most one picture is queued. */
  #offer({ jpeg }: Picture): void {
    if (this.destroyed || this.#over || this.backlog > 0) return;
    const head = `--${BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: ${jpeg.length}\r\n\r\n`;
    this.push(Buffer.concat([Buffer.from(head), jpeg, Buffer.from('\r\n')]));
  }
}
