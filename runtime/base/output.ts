/** Where a command writes: standard output and standard error, or a test. */
export interface Output {
  out(text: string): void;
  err(text: string): void;
}
