/** The printed notice that another device has the id of this node: once in a run. */

import { filled, languagesOfNotice } from '../../base/language.ts';
import type { Node } from '../../kernel/node.ts';
import { words } from './words/fault/index.ts';

/** Prints the notice when it is due. */
export class DoubleSlip {
  readonly #node: Node;
  readonly #double: () => string | undefined;
  #isPrinting = false;

  /** `double`: the address of the other one; undefined where there is none. */
  constructor(node: Node, double: () => string | undefined) {
    this.#node = node;
    this.#double = double;
  }

  /** To call when another one was heard, or a printer was connected. Never rejects. */
  async print(): Promise<void> {
    if (this.#isPrinting) return;
    const address = this.#double();
    if (address === undefined) return;
    this.#isPrinting = true;
    const { hooks, image, deviceId, log } = this.#node;
    const lines = languagesOfNotice(image.language).flatMap((language) => {
      const { duplicateTitle, duplicate, duplicateHow } = words[language];
      return [
        { type: 'text', value: duplicateTitle, align: 'center', bold: true, size: '2x' },
        { type: 'feed' },
        { type: 'text', value: filled(duplicate, { address, host: `node-${deviceId}` }) },
        { type: 'text', value: duplicateHow },
        { type: 'feed' },
      ];
    });
    const isOut = await hooks.notice.promise(lines).catch((error: unknown) => {
      log.warn({ error: String(error) }, 'no slip about the double');
      return false;
    });
    this.#isPrinting = isOut === true;
  }
}
