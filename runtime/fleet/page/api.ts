/** The requests of the page. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { say } from './say.ts';

const ANSWER_MS = 30_000;
/** An image of many megabytes may take long on a slow line. */
const UPLOAD_MS = 30 * 60_000;

/** A refusal of the fleet, or no answer. The message is a sentence. */
export class FleetError extends Error {
  readonly code: string;
  /** The envelope. */
  readonly more: Readonly<Record<string, unknown>>;
  constructor(code: string, more: Readonly<Record<string, unknown>> = {}) {
    const words = say.find(`fault_${code}`) ?? say('refused', { code });
    const { detail } = more;
    super(typeof detail === 'string' && code !== 'unauthorized' ? `${words} (${detail})` : words);
    this.code = code;
    this.more = more;
  }
}

let ahead = 0;
/** The time by the clock of the fleet, in milliseconds: that of this machine may be wrong. */
export const now = (): number => Date.now() + ahead;

let ended = () => {};
/** What to do when the session is over. */
export function onSessionEnd(act: () => void): void {
  ended = act;
}

interface Options {
  readonly body?: unknown;
  /** The master token, in place of the session. */
  readonly token?: string;
  readonly signal?: AbortSignal;
}

/** Asks the fleet, at a path below `api/`. Rejects with a FleetError. */
export async function ask<T>(method: string, path: string, { body, token, signal }: Options = {}): Promise<T> {
  const timeout = AbortSignal.timeout(body instanceof Blob ? UPLOAD_MS : ANSWER_MS);
  const response = await fetch(`api/${path}`, {
    method,
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    ...(token !== undefined && { headers: { Authorization: `Bearer ${token}` } }),
    ...(body !== undefined && { body: body instanceof Blob ? body : JSON.stringify(body) }),
  }).catch((error: unknown) => {
    throw signal?.aborted === true ? error : new FleetError('unreachable');
  });
  const date = Date.parse(response.headers.get('date') ?? '');
  // The field is in whole seconds.
  if (!Number.isNaN(date) && Math.abs(date - now()) > 2000) ahead = date - Date.now();
  if (response.status === 204) return undefined as T;
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer as T;
  const code = String(answer.error ?? response.status);
  // A wrong password or code, of which there is a detail, is of somebody who stays signed in.
  if (code === 'unauthorized' && answer.detail === undefined && path !== 'session' && token === undefined) ended();
  throw new FleetError(code, answer);
}

export interface Asked<T> {
  /** What the last answer brought. */
  readonly data: T | undefined;
  /** What it was the answer to. */
  readonly path: string | undefined;
  /** Why the last request had none. */
  readonly fault: string | undefined;
  reload(): Promise<void>;
}

/** Asks at once, when the path changes, and every `everyMs` while the page is seen. Only the answer to the last question counts. */
export function useAsked<T>(path: string, everyMs?: number): Asked<T> {
  const [state, setState] = useState<Omit<Asked<T>, 'reload'>>({ data: undefined, path: undefined, fault: undefined });
  const asking = useRef<AbortController | undefined>(undefined);
  const reload = useCallback(async () => {
    asking.current?.abort();
    const controller = new AbortController();
    asking.current = controller;
    const isLast = () => !controller.signal.aborted;
    try {
      const data = await ask<T>('GET', path, { signal: controller.signal });
      if (isLast()) setState({ data, path, fault: undefined });
    } catch (error) {
      if (isLast()) setState((before) => ({ ...before, fault: (error as Error).message }));
    }
  }, [path]);
  useEffect(() => {
    void reload();
    const timer = everyMs === undefined ? undefined : setInterval(() => document.hidden || void reload(), everyMs);
    return () => {
      clearInterval(timer);
      asking.current?.abort();
    };
  }, [reload, everyMs]);
  return { ...state, reload };
}
