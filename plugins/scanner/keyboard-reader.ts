/** Makes reads from a keyboard wedge: one ends with Enter, with Tab, or when no key follows for `interKeyTimeoutMs`. */
import { identifyRead } from '../../codecs/aim.ts';
import { BY_CODE_POINT, byCodePoint } from '../../codecs/alt-code.ts';
import { flushKeyboard, type KeyboardState, newKeyboard, readKeyboardReport } from '../../codecs/hid-keyboard.ts';
import type { KeyboardFormat } from '../../codecs/keyboard-report.ts';
import { KEYBOARD_LAYOUTS } from '../../codecs/keymaps.ts';
import { MAX_READ_CHARACTERS } from '../../codecs/read-text.ts';
import type { ScannerSettings } from './contract.ts';
import { IdleTimer } from './idle-timer.ts';
import { Lights } from './lights.ts';
import type { Reader, ReadSink } from './scanner.ts';
import { suspectOf } from './suspect.ts';

/** What a keyboard is read with. */
export interface KeyboardParts {
  readonly format: KeyboardFormat;
  readonly settings: () => ScannerSettings;
  readonly sink: ReadSink;
  /** Sets the lights of the keyboard: bit 0 Num Lock, 1 Caps Lock, 2 Scroll Lock. */
  readonly show: (lights: number) => Promise<void>;
}

/** The reader of one keyboard wedge. */
export class KeyboardReader implements Reader {
  readonly #settings: () => ScannerSettings;
  readonly #sink: ReadSink;
  readonly #idle: IdleTimer;
  readonly #lights: Lights;
  #keyboard: KeyboardState;
  #before: Uint8Array = new Uint8Array(0);
  #text = '';
  #tooLong = false;
  /** Undefined between two reads. */
  #startedAt: number | undefined;

  constructor({ format, settings, sink, show }: KeyboardParts) {
    this.#settings = settings;
    this.#sink = sink;
    this.#idle = new IdleTimer(
      () => settings().interKeyTimeoutMs,
      (lastAt) => this.#end(lastAt),
    );
    this.#keyboard = newKeyboard(KEYBOARD_LAYOUTS[settings().layout], format);
    this.#lights = new Lights(show, this.locks);
  }

  /** The lights as they should be: Num Lock, Caps Lock and Scroll Lock, bits 0 to 2. */
  get locks(): number {
    return this.#keyboard.locks;
  }

  take(report: Uint8Array, now: number): void {
    // A repeated report means that a key is held (SET_IDLE), not that it was typed again.
    if (sameBytes(report, this.#before)) return;
    this.#before = report;
    if (this.#startedAt === undefined) this.#followLayout();
    const typed = readKeyboardReport(this.#keyboard, report);
    this.#lights.show(this.locks);
    if (this.#keyboard.dead !== undefined || this.#keyboard.doubt !== undefined) this.#startedAt ??= now;
    for (const character of typed) this.#type(character, now);
    if (this.#startedAt !== undefined) this.#idle.touch(now);
  }

  stop(): void {
    this.#idle.stop();
    this.#forget();
  }

  /** Uses a changed layout from the next read on. Held keys stay held. */
  #followLayout(): void {
    const { layout } = this.#settings();
    if (this.#keyboard.layout.name !== layout) {
      this.#keyboard = { ...this.#keyboard, layout: KEYBOARD_LAYOUTS[layout], dead: undefined };
    }
  }

  #type(character: string, now: number): void {
    if (character === '\r' || character === '\t') {
      this.#end(now);
      return;
    }
    if (character === BY_CODE_POINT) {
      this.#text = byCodePoint(this.#text);
      return;
    }
    // The line feed of the terminator CR LF.
    if (character === '\n' && this.#startedAt === undefined) return;
    this.#startedAt ??= now;
    if (this.#text.length + character.length > MAX_READ_CHARACTERS) this.#tooLong = true;
    else this.#text += character;
  }

  #end(endedAt: number): void {
    const text = this.#text + flushKeyboard(this.#keyboard);
    const unreadable = this.#tooLong || text.length > MAX_READ_CHARACTERS || this.#keyboard.doubt === 'order';
    const suspect = suspectOf(text, this.#keyboard);
    const startedAt = this.#startedAt ?? endedAt;
    this.#forget();
    if (unreadable) this.#sink.unreadable();
    else if (text !== '') this.#sink.read({ ...identifyRead(text), startedAt, endedAt, ...(suspect && { suspect }) });
  }

  #forget(): void {
    this.#text = '';
    this.#tooLong = false;
    this.#startedAt = undefined;
    this.#keyboard.doubt = undefined;
    this.#idle.rest();
  }
}

const sameBytes = (a: Uint8Array, b: Uint8Array) => a.length === b.length && a.every((byte, at) => byte === b[at]);
