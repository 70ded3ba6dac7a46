/** The built command line in this process: a process of its own for each call takes twenty times as long. */
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

const CLI = resolve('dist/twin/cli.js');
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Given {
  /** What comes on standard input. */
  readonly input?: string | Uint8Array;
  /** What the environment has besides. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Keeps what is written, as text. */
class Kept extends Writable {
  text = '';

  /** `own`: the stream that it stands for meanwhile. Node calls that of a thread by names of its own when it may have more. */
  constructor(own: NodeJS.WriteStream) {
    super();
    const inner = own as unknown as Record<symbol, unknown>;
    for (const name of Object.getOwnPropertySymbols(Object.getPrototypeOf(own)))
      if (!(name in this) && typeof inner[name] === 'function')
        Object.defineProperty(this, name, { value: inner[name].bind(own) });
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.text += String(chunk);
    done();
  }
}

/**
 * Runs the program once, to its end. It is loaded anew each time, as a query makes another module of it. One run at a time: the
 * arguments, the output and the exit code are those of this process.
 */
export async function runHere(args: readonly string[], { input = '', env = {} }: Given = {}): Promise<Said> {
  const [out, err] = [new Kept(process.stdout), new Kept(process.stderr)];
  const { argv, exitCode, env: environment } = process;
  const own = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]));
  const streams = Object.fromEntries(
    (['stdin', 'stdout', 'stderr'] as const).map((name) => [
      name,
      Object.getOwnPropertyDescriptor(process, name) ?? {},
    ]),
  );
  Object.defineProperties(process, {
    stdin: { value: Readable.from([Buffer.from(input)]), configurable: true },
    stdout: { value: out, configurable: true },
    stderr: { value: err, configurable: true },
  });
  process.env = { ...environment, ...env };
  process.argv = [process.execPath, CLI, ...args];
  process.exitCode = 0;
  try {
    // A count would begin again with each file of tests, in a process that has loaded those modules.
    await import(`${pathToFileURL(CLI)}?run=${randomUUID()}`);
    return { code: Number(process.exitCode), out: out.text, err: err.text };
  } finally {
    Object.defineProperties(process, streams);
    process.env = environment;
    process.argv = argv;
    process.exitCode = exitCode;
    for (const signal of SIGNALS)
      for (const each of process.listeners(signal)) if (!own.get(signal)?.includes(each)) process.off(signal, each);
  }
}
