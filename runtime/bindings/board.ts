/** Buttons, light and memory of the machine. */

/** Gets the presses of buttons. */
export interface ButtonListener {
  /** `at`: monotonic ms, from the time stamp of the operating system's kernel if it gives one. */
  press(name: string, at: number): void;
  release(name: string, at: number): void;
}

/** Buttons on the box, by name: `b` is the one the specification calls B. */
export interface ButtonsBinding {
  /** True: real buttons, to which only a node started with `--appliance` listens. */
  readonly ofMachine: boolean;
  /** Starts to report. Does not reject if there is no button. */
  start(listener: ButtonListener): Promise<void>;
  /** Ends reporting. May be called before `start` and more than once. */
  stop(): Promise<void>;
}

/** A part of a blink pattern. */
export interface BlinkPhase {
  readonly lit: boolean;
  readonly ms: number;
}

/** The LED of the box that says how it is. If the box has none, both calls do nothing. Neither rejects. */
export interface LedBinding {
  /** True: a real LED, which only a node started with `--appliance` uses. */
  readonly ofMachine: boolean;
  /** Shows these phases, again and again until the next call; a single one is steady. Resolves when the first is shown. */
  show(phases: readonly BlinkPhase[]): Promise<void>;
  /** Leaves the LED to what the operating system showed with it. */
  release(): Promise<void>;
}

/** The process and machine the node runs in. */
export interface HostBinding {
  /** Bytes that the process may still allocate before it must refuse work; read before a large buffer is made. */
  memoryLeft(): number;
}
